import { tempFolder, type TempFolder } from "@acumen/testkit";
import { access, chmod, link, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { parsePermissionRules } from "../../../src/approval/permission-rule.ts";
import { deniedReads } from "../../../src/approval/rule-match.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createGlobTool } from "../../../src/tools/search/glob-tool.ts";
import { createGrepTool } from "../../../src/tools/search/grep-tool.ts";
import type { RunContext, ToolOutcome } from "../../../src/tools/tool.ts";
import { openWorkspace } from "../../../src/workspace/workspace.ts";
import { previewOf, runTool } from "../bash/fixture.ts";

type Found = Promise<ToolOutcome & { readonly text: string }>;

interface Bench extends AsyncDisposable {
  readonly folder: TempFolder;
  readonly cwd: string;
  write(path: string, content?: string | Uint8Array): Promise<void>;
  glob(input: object, context?: Partial<RunContext>): Found;
  grep(input: object, context?: Partial<RunContext>): Found;
}

interface BenchOptions {
  readonly searchPath?: string;
  /** Rules on reading. */
  readonly deny?: readonly string[];
}

async function searchBench({ searchPath, deny = [] }: BenchOptions = {}): Promise<Bench> {
  const folder = await tempFolder();
  const cwd = folder.join("work");
  await mkdir(cwd);
  const workspace = await openWorkspace({ cwd });
  const redact = createRedactor(["correct-horse-battery"]);
  const rules = parsePermissionRules({ allow: [], ask: [], deny });
  const deps = { redact, deniedRead: deniedReads(rules, workspace) };
  const glob = createGlobTool(workspace, deps);
  const grep = createGrepTool(workspace, { ...deps, searchPath });
  return {
    folder,
    cwd,
    write: async (path, content = "") => {
      await mkdir(dirname(`${cwd}/${path}`), { recursive: true });
      await writeFile(`${cwd}/${path}`, content);
    },
    glob: (input, context) => runTool(glob, input, context),
    grep: (input, context) => runTool(grep, input, context),
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

test("glob gives sorted paths, and the limit cuts the sorted list", async () => {
  await using bench = await searchBench();
  for (const name of ["b.ts", "a/z.ts", "a.ts", "a/b/c.ts", "c.js", ".github/w.ts"]) {
    await bench.write(name);
  }
  const all = await bench.glob({ pattern: "**/*.ts" });
  expect(all).toMatchObject({ status: "completed", truncated: false });
  expect(all.text).toBe("5 files\n.github/w.ts\na.ts\na/b/c.ts\na/z.ts\nb.ts");
  const cut = await bench.glob({ pattern: "**/*.ts", limit: 2 });
  expect(cut.truncated).toBe(true);
  expect(cut.text).toBe(
    "The first 2 of 5 files; a narrower glob shows the others.\n.github/w.ts\na.ts",
  );
  expect((await bench.glob({ pattern: "*.ts" })).text).toBe("2 files\na.ts\nb.ts");
  expect((await bench.glob({ pattern: "*.ts", path: "a" })).text).toBe("1 file\na/z.ts");
  expect((await bench.glob({ pattern: `${bench.cwd}/{a,b}.ts` })).text).toBe("2 files\na.ts\nb.ts");
  expect((await bench.glob({ pattern: "*.py" })).text).toBe("No file matches.");
});

test("nested .gitignore files hold, as git reads them, and .git is never searched", async () => {
  await using bench = await searchBench();
  await bench.write(".gitignore", "*.log\n/build/\n!keep.log\n");
  await bench.write("sub/.gitignore", "!sub.log\nlocal.txt\n");
  const kept = ["keep.log", "sub/sub.log", "sub/build/x.txt", "local.txt"];
  for (const name of [...kept, "a.log", "build/x.txt", "sub/local.txt", ".git/config"]) {
    await bench.write(name, "needle\n");
  }
  const names = (text: string): string[] => text.split("\n").filter((line) => kept.includes(line));
  const glob = await bench.glob({ pattern: "**/*.{log,txt}" });
  expect(glob.text.split("\n").slice(1)).toEqual(kept.toSorted());
  const grep = await bench.grep({ pattern: "needle" });
  expect(grep.text).toContain("4 matching lines in 4 files.");
  expect(names(grep.text)).toEqual(kept.toSorted());
});

test("rules of the repository hold in its folders; an ignored folder that is asked for is searched", async () => {
  await using bench = await searchBench();
  await bench.write(".git/HEAD");
  await bench.write(".gitignore", "out/\n*.tmp\n");
  await bench.write("src/a.tmp");
  await bench.write("src/a.ts");
  await bench.write("out/b.tmp");
  expect((await bench.glob({ pattern: "*", path: "src" })).text).toBe("1 file\nsrc/a.ts");
  expect((await bench.glob({ pattern: "*", path: "out" })).text).toBe("1 file\nout/b.tmp");
});

test("links are not followed, places outside are refused, key material is left out and counted", async () => {
  await using bench = await searchBench();
  await writeFile(bench.folder.join("outside.txt"), "needle");
  await symlink(bench.folder.path, `${bench.cwd}/link`);
  await symlink(bench.folder.join("outside.txt"), `${bench.cwd}/file`);
  await bench.write(".env", "needle");
  await bench.write(".env.example", "needle");
  await bench.write("server.txt", "-----BEGIN PRIVATE KEY-----\nneedle\n");
  const found = await bench.grep({ pattern: "needle" });
  expect(found.text).toBe(
    "1 matching line in 1 file.\nNot searched: 2 with key material.\n\n.env.example\n1: needle",
  );
  expect((await bench.glob({ pattern: "**" })).text).toBe(
    "2 files\n.env.example\nserver.txt\n1 names of key material are left out.",
  );
  for (const path of ["..", "link", "file", "/etc", ".env"]) {
    expect((await bench.grep({ pattern: "needle", path })).status).toBe("failed");
    expect((await bench.glob({ pattern: "*", path })).status).toBe("failed");
  }
  expect((await bench.glob({ pattern: "../*" })).text).toContain("leads out of the folder");
});

test("grep shows matches with context, clips long lines and counts what it does not show", async () => {
  await using bench = await searchBench();
  await bench.write("a.txt", "one\r\ntwo x\r\nthree\r\nfour\r\nfive\r\nsix x\r\nseven\r\neight x");
  await bench.write("b/long.txt", `${"-".repeat(1000)}x${"-".repeat(1000)}\n`);
  const found = await bench.grep({ pattern: "x", context: 1 });
  expect(found.text.split("\n").slice(0, 12)).toEqual([
    "4 matching lines in 2 files.",
    "",
    "a.txt",
    "1- one",
    "2: two x",
    "3- three",
    "--",
    "5- five",
    "6: six x",
    "7- seven",
    "8: eight x",
    "",
  ]);
  const long = found.text.split("\n").at(-1) ?? "";
  expect(long).toMatch(/^1: …-+x-+…$/);
  expect(long.length).toBeLessThan(320);
  const cut = await bench.grep({ pattern: "x", limit: 2 });
  expect(cut).toMatchObject({ status: "completed", truncated: true });
  expect(cut.text).toBe(
    "The first 2 of 4 matching lines in 2 files (limit: 2 lines).\n\na.txt\n2: two x\n6: six x",
  );
  expect((await bench.grep({ pattern: "TWO", ignore_case: true })).text).toContain("2: two x");
  expect((await bench.grep({ pattern: "(?i)TWO" })).text).toContain("2: two x");
  expect((await bench.grep({ pattern: "x", include: "*.md" })).text).toBe("No line matches.");
  expect((await bench.grep({ pattern: "x", include: "long.txt" })).text).toContain("b/long.txt");
  expect((await bench.grep({ pattern: "^seven$", path: "a.txt" })).text).toContain("7: seven");
});

test("what is shown has a limit in bytes as well", async () => {
  await using bench = await searchBench();
  await bench.write("a.txt", `${"x".repeat(290)}\n`.repeat(2000));
  const found = await bench.grep({ pattern: "x", limit: 1000 });
  expect(Buffer.byteLength(found.text)).toBeLessThan(52 * 1024);
  expect(found.text).toMatch(
    /^The first 1\d\d of 2000 matching lines in 1 file \(limit: 51200 bytes\)\./,
  );
});

test("binary, huge and unreadable files are passed by and counted; other encodings are searched", async () => {
  await using bench = await searchBench();
  await bench.write("data.bin", Buffer.from("needle\0needle"));
  await bench.write("huge.txt", Buffer.alloc(10 * 1024 * 1024 + 1, "needle\n"));
  await bench.write("wide.txt", Buffer.from("\uFEFFneedle ü\n", "utf16le"));
  await bench.write("latin.txt", Buffer.from("needle \xfc\n", "latin1"));
  const found = await bench.grep({ pattern: "needle" });
  expect(found.text).toBe(
    "2 matching lines in 2 files.\nNot searched: 1 binary, 1 larger than 10 MiB.\n\nlatin.txt\n1: needle ü\n\nwide.txt\n1: needle ü",
  );
});

test("secrets in matching lines are hidden", async () => {
  await using bench = await searchBench();
  await bench.write("a.txt", "password = correct-horse-battery\n");
  expect((await bench.grep({ pattern: "password" })).text).toContain("1: password = [hidden]");
});

test("an unusable pattern says what is wrong before anything runs", async () => {
  await using bench = await searchBench();
  const wrong = await bench.grep({ pattern: "foo(" });
  expect(wrong.status).toBe("failed");
  expect(wrong.text).toMatch(
    /no regular expression of JavaScript: .*Unterminated group.*backslash/,
  );
  expect((await bench.grep({ pattern: "x".repeat(2001) })).text).toContain("at most 2000");
  expect((await bench.grep({ pattern: "x", path: "nowhere" })).text).toContain("nowhere");
  expect((await bench.glob({ patern: "x" })).text).toContain('did you mean "pattern"');
});

test("a pattern that would take forever ends with the abort, and the session's thread stays free", async () => {
  await using bench = await searchBench();
  await bench.write("a.txt", `${"a".repeat(60)}!\n`);
  await bench.write(`${"a".repeat(200)}.txt`);
  for (const search of [
    (signal: AbortSignal) => bench.grep({ pattern: "^(a+)+$" }, { signal }),
    (signal: AbortSignal) => bench.glob({ pattern: "+(+(a)).md" }, { signal }),
  ]) {
    const controller = new AbortController();
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 10);
    const running = search(controller.signal).then(
      () => "done",
      (error: unknown) => (error as { code?: string }).code,
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    const aborted = performance.now();
    controller.abort();
    const result = await running;
    clearInterval(timer);
    // The glob may be rewritten into one that is harmless.
    expect(["CORE_ABORTED", "done"]).toContain(result);
    expect(performance.now() - aborted).toBeLessThan(3000);
    expect(ticks).toBeGreaterThan(10);
  }
});

test.each([["without ripgrep"], ["with ripgrep, if there is one"]])(
  "files that may not be read by a rule are found by no search, %s",
  async (how) => {
    const searchPath = process.env["PATH"] ?? "";
    await using bench = await searchBench({
      deny: ["read_file(Private/**)", "read_file(**/*.pem)", "grep(other/**)", "edit(a.txt)"],
      ...(how.startsWith("with ") && { searchPath }),
    });
    for (const name of ["a.txt", "private/b.txt", "deep/c.pem", "other/d.txt"]) {
      await bench.write(name, "needle");
    }
    const found = await bench.grep({ pattern: "needle" });
    expect(found.text).toContain("2 matching lines in 2 files");
    expect(found.text).toContain("Not searched: 2 denied by a rule of the settings.");
    expect(found.text).not.toMatch(/b\.txt|c\.pem/);
    const one = await bench.grep({ pattern: "needle", path: "private/b.txt" });
    expect(one.text).toContain("No line matches.");
    const names = await bench.glob({ pattern: "**" });
    expect(names.text).toBe(
      "2 files\na.txt\nother/d.txt\n2 files are left out by a rule of the settings.",
    );
  },
);

test("a preview is a read of the place that is searched", async () => {
  await using bench = await searchBench();
  const workspace = await openWorkspace({ cwd: bench.cwd });
  const tool = createGrepTool(workspace, { redact: createRedactor() });
  expect(await previewOf(tool, { pattern: "x" })).toEqual({
    title: "x in .",
    risk: "read",
    subject: { type: "files", access: "read", paths: [bench.cwd] },
    locations: [],
    diff: [],
  });
});

test("a search program that lies in the workspace is never run", async () => {
  await using outer = await tempFolder();
  const evil = outer.join("work", "bin");
  await mkdir(evil, { recursive: true });
  await writeFile(`${evil}/rg`, `#!/bin/sh\ntouch ${outer.path}/ran\n`);
  await chmod(`${evil}/rg`, 0o755);
  for (let index = 0; index < 60; index += 1) {
    await writeFile(outer.join("work", `${index}.txt`), "needle");
  }
  const workspace = await openWorkspace({ cwd: outer.join("work") });
  const tool = createGrepTool(workspace, { redact: createRedactor(), searchPath: `${evil}:bin:.` });
  expect((await runTool(tool, { pattern: "needle" })).text).toContain("60 matching lines");
  await expect(access(outer.join("ran"))).rejects.toThrow();
});

test("grep reads no file with several names, which may lie elsewhere or be a secret, but for installed packages", async () => {
  await using bench = await searchBench();
  await bench.write(".env", "needle of a secret\n");
  await writeFile(bench.folder.join("outside.txt"), "needle outside\n");
  await bench.write("own.txt", "needle here\n");
  await bench.write("node_modules/pkg/index.js", "needle of a package\n");
  await link(`${bench.cwd}/.env`, `${bench.cwd}/notes.txt`);
  await link(bench.folder.join("outside.txt"), `${bench.cwd}/outside.txt`);
  await link(`${bench.cwd}/node_modules/pkg/index.js`, bench.folder.join("store.js"));
  const { text } = await bench.grep({ pattern: "needle" });
  expect(text).toBe(
    "2 matching lines in 2 files.\nNot searched: 1 with key material, 2 with several hard links.\n\n" +
      "node_modules/pkg/index.js\n1: needle of a package\n\nown.txt\n1: needle here",
  );
  const named = await bench.grep({ pattern: "needle", path: "notes.txt" });
  expect(named.text).toBe("No line matches.\nNot searched: 1 with several hard links.");
});
