import { tempFolder } from "@acumen/testkit";
import fc from "fast-check";
import { access, chmod, link, mkdir, readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createGrepTool } from "../../../src/tools/search/grep-tool.ts";
import { requiredLiteral } from "../../../src/tools/search/required-literal.ts";
import { findRipgrep } from "../../../src/tools/search/ripgrep.ts";
import { openWorkspace } from "../../../src/workspace/workspace.ts";
import { eventually, runTool } from "../bash/fixture.ts";

const PATTERNS = ["nee.le", "a+needle", "needle|x", "NEEDLE$"];

async function tree(): Promise<Awaited<ReturnType<typeof tempFolder>>> {
  const folder = await tempFolder();
  await mkdir(folder.join("work", "sub"), { recursive: true });
  const write = (name: string, content: string | Uint8Array): Promise<void> =>
    writeFile(folder.join("work", name), content);
  for (let index = 0; index < 70; index += 1) {
    await write(`sub/${index}.txt`, index % 3 === 0 ? `x\naneedle ${index}\n` : "nothing\n");
  }
  await write("wide.txt", Buffer.from("\uFEFFneedle\n", "utf16le"));
  await write("wide-big.txt", Buffer.from("\uFEFFneedle\n", "utf16le").swap16());
  await write("binary.bin", "needle\0");
  await write("other.bin", "nothing\0");
  await write("latin.txt", Buffer.from("\xfcneedle\r\n", "latin1"));
  await write("huge.txt", Buffer.alloc(11 * 1024 * 1024, "nothing\n"));
  await write("upper.txt", "NEEDLE\n");
  for (const name of ["with", "without"]) {
    await writeFile(folder.join(name), name === "with" ? "aneedle\n" : "nothing\n");
    await link(folder.join(name), folder.join("work", `${name}.txt`));
  }
  return folder;
}

const installed = await findRipgrep(process.env["PATH"], await openWorkspace({ cwd: "/var" }));

test.skipIf(installed === undefined)(
  "with ripgrep a search finds exactly what it finds without (where ripgrep is installed)",
  async () => {
    await using folder = await tree();
    const workspace = await openWorkspace({ cwd: folder.join("work") });
    const redact = createRedactor();
    const without = createGrepTool(workspace, { redact });
    const withIt = createGrepTool(workspace, { redact, searchPath: process.env["PATH"] });
    for (const pattern of PATTERNS) {
      for (const ignore_case of [false, true]) {
        const input = { pattern, ignore_case, limit: 1000, context: 1 };
        const expected = await runTool(without, input);
        expect(await runTool(withIt, input), JSON.stringify(input)).toEqual(expected);
      }
    }
  },
);

async function withStandIn(script: string): Promise<{
  readonly folder: Awaited<ReturnType<typeof tempFolder>>;
  readonly tool: ReturnType<typeof createGrepTool>;
}> {
  const folder = await tree();
  await mkdir(folder.join("bin"));
  await writeFile(folder.join("bin", "rg"), `#!/bin/sh\n${script}\n`);
  await chmod(folder.join("bin", "rg"), 0o755);
  const workspace = await openWorkspace({ cwd: folder.join("work") });
  const searchPath = folder.join("bin");
  return { folder, tool: createGrepTool(workspace, { redact: createRedactor(), searchPath }) };
}

test("ripgrep only narrows down: without an environment, with files as plain arguments after the text", async () => {
  const { folder, tool } = await withStandIn(
    `/usr/bin/env > "$(dirname "$0")/env"; while [ "$1" != -- ]; do shift; done; shift; printf '%s\\0' "$2" "$4"`,
  );
  await using _folder = folder;
  const found = await runTool(tool, { pattern: "aneedle", path: "sub" });
  // The second and fourth file by name: 1.txt without, 11.txt without a match; nothing else was looked at.
  expect(found.text).toBe("No line matches.");
  expect(await readFile(folder.join("bin", "env"), "utf8")).not.toMatch(/HOME|KEY|TOKEN/);
});

test("what is passed by is counted without the help of ripgrep, which is not given it", async () => {
  const { folder, tool } = await withStandIn(
    `printf '%s\\n' "$@" > "$(dirname "$0")/args"; exit 1`,
  );
  await using _folder = folder;
  expect((await runTool(tool, { pattern: "aneedle" })).text).toBe(
    "No line matches.\nNot searched: 1 larger than 10 MiB, 2 with several hard links.",
  );
  expect(await readFile(folder.join("bin", "args"), "utf8")).not.toMatch(
    /\/(?:huge|with|without)\.txt/,
  );
});

test("when ripgrep fails, every file is searched", async () => {
  const { folder, tool } = await withStandIn("exit 2");
  await using _folder = folder;
  expect((await runTool(tool, { pattern: "aneedle" })).text).toContain("24 matching lines");
});

test("a ripgrep that hangs ends with the abort", async () => {
  const { folder, tool } = await withStandIn(
    `echo $$ > "$(dirname "$0")/pid"; exec /bin/sleep 300`,
  );
  await using _folder = folder;
  const controller = new AbortController();
  const running = runTool(tool, { pattern: "aneedle" }, { signal: controller.signal });
  await eventually(() =>
    access(folder.join("bin", "pid")).then(
      () => true,
      () => false,
    ),
  );
  const aborted = performance.now();
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: "CORE_ABORTED" });
  expect(performance.now() - aborted).toBeLessThan(3000);
});

test.each([
  ["class Foo", "class Foo"],
  ["foo\\(bar\\)", "foo(bar)"],
  ["^import .* from", "import "],
  ["colou?r", "colo"],
  ["ab+cd", "cd"],
  ["(foo)bar", "bar"],
  ["foo|bar", undefined],
  ["(foo|bar)", undefined],
  ["\\d+", undefined],
  ["[abc]def", "def"],
  ["f\\u006fobar", "obar"],
  ["ü-needle", "-needle"],
])("the text that every match of %s holds is %s", (pattern, literal) => {
  expect(requiredLiteral(pattern)).toBe(literal);
});

test("a required text is in every line that matches", () => {
  const items = String.raw`a b c . - _ / \. \( \d \w \b [ab] [^a] (a) (?:ab|c) (?=a) (?<n>b) * + ? {2} {0,1} *? ^ $ .* \x61 \u0062 { } [\]a] |`;
  const piece = fc.constantFrom(" ", ...items.split(" "));
  const pattern = fc.array(piece, { maxLength: 10 }).map((parts) => parts.join(""));
  const line = fc.string({ unit: fc.constantFrom(..."ab c.-_/(){}1]".split("")), maxLength: 20 });
  fc.assert(
    fc.property(pattern, fc.array(line, { maxLength: 20 }), (source, lines) => {
      let regex: RegExp;
      try {
        regex = new RegExp(source);
      } catch {
        return;
      }
      const literal = requiredLiteral(source);
      for (const text of lines) {
        if (literal !== undefined && regex.test(text)) expect(text).toContain(literal);
      }
    }),
    { numRuns: 5000 },
  );
});
