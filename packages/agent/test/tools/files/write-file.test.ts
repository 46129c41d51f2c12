import { execFileSync } from "node:child_process";
import {
  chmod,
  chown,
  link,
  mkdir,
  readFile,
  rename,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../src/workspace/sha256.ts";
import { fileTools, run, taken } from "./harness.ts";

describe("write_file", () => {
  test("makes a file with its folders, and tells before what it will do", async () => {
    await using tools = await fileTools();
    const input = { path: "src/deep/a.ts", content: "one\n" };
    const call = taken(await tools.prepare("write_file", input));
    const diff = [{ path: tools.path("src/deep/a.ts"), old_text: null, new_text: "one\n" }];
    expect(call.preview).toEqual({
      title: "Write src/deep/a.ts",
      risk: "write",
      subject: { type: "files", access: "write", paths: [tools.path("src/deep/a.ts")] },
      locations: [{ path: tools.path("src/deep/a.ts") }],
      diff,
    });
    expect(await tools.files()).toEqual([]);
    expect(await run(call)).toMatchObject({
      status: "completed",
      text: "Created src/deep/a.ts.",
      diff,
    });
    expect(await tools.get("src/deep/a.ts")).toBe("one\n");
    expect(await tools.files()).toEqual(["src/deep/a.ts"]);
    expect(tools.images).toEqual([
      {
        seq: 7,
        path: tools.path("src/deep/a.ts"),
        content: null,
        mode: null,
        afterHash: sha256(Buffer.from("one\n")),
      },
    ]);
  });

  test("gives new files the bits that the process gives, and leaves those of old ones", async () => {
    await using tools = await fileTools();
    await tools.put("run.sh", "old\n");
    await chmod(tools.path("run.sh"), 0o751);
    await tools.call("write_file", { path: "run.sh", content: "new\n" });
    expect((await stat(tools.path("run.sh"))).mode & 0o777).toBe(0o751);
    expect(tools.images[0]).toMatchObject({ content: Buffer.from("old\n"), mode: 0o751 });
    await tools.call("write_file", { path: "new", content: "" });
    await writeFile(tools.path("other"), "");
    const bits = async (name: string): Promise<number> => (await stat(tools.path(name))).mode;
    expect(await bits("new")).toBe(await bits("other"));
  });

  test.runIf(process.getuid?.() === 0)("leaves a file to its owner", async () => {
    await using tools = await fileTools();
    await tools.put("theirs", "old\n");
    await chown(tools.path("theirs"), 12_345, 12_346);
    await tools.call("write_file", { path: "theirs", content: "new\n" });
    expect(await stat(tools.path("theirs"))).toMatchObject({ uid: 12_345, gid: 12_346 });
  });

  test("keeps line ends, byte order mark and encoding of an existing file", async () => {
    await using tools = await fileTools();
    const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, "utf16le");
    for (const [old, content, next] of [
      ["a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"],
      ["a\r\n", "x\r\ny\n", "x\r\ny\n"],
      ["a\nb\r\n", "x\ny\n", "x\ny\n"],
      ["\uFEFFa\n", "x\n", "\uFEFFx\n"],
      ["\uFEFFa\n", "\uFEFFx\n", "\uFEFFx\n"],
      [utf16("a\r\n"), "é😀\n", utf16("é😀\r\n")],
      [Buffer.from("caf\xe9", "latin1"), "né", Buffer.from("n\xe9", "latin1")],
    ] as const) {
      await tools.put("f", old);
      tools.reads.record({ path: tools.path("f"), sha256: null });
      await tools.call("write_file", { path: "f", content });
      expect(await readFile(tools.path("f"))).toEqual(Buffer.from(next));
    }
    await tools.put("f", Buffer.from("caf\xe9", "latin1"));
    tools.reads.record({ path: tools.path("f"), sha256: null });
    expect((await tools.call("write_file", { path: "f", content: "→" })).text).toContain("latin-1");
    expect((await tools.call("write_file", { path: "g", content: "\uD800" })).text).toContain(
      "surrogate",
    );
  });

  test("creates only what is not there, and appends to what is", async () => {
    await using tools = await fileTools();
    await tools.put("a", "one");
    const create = { path: "a", content: "x", mode: "create" };
    expect(await tools.call("write_file", create)).toEqual({
      status: "refused",
      text: "a exists already; mode create makes new files only.",
    });
    await tools.call("write_file", { path: "a", content: " two\n", mode: "append" });
    await tools.call("write_file", { path: "b", content: "new", mode: "append" });
    await tools.call("write_file", { path: "c", content: "new", mode: "create" });
    expect([await tools.get("a"), await tools.get("b"), await tools.get("c")]).toEqual([
      "one two\n",
      "new",
      "new",
    ]);
    await tools.put("crlf", "a\r\n");
    await tools.call("write_file", { path: "crlf", content: "b\n", mode: "append" });
    expect(await tools.get("crlf")).toBe("a\r\nb\r\n");
  });

  test("shows no secrets that the redactor knows, and writes the text as it is", async () => {
    const redact = (text: string): string => text.replaceAll(/hunter\d/g, "[secret]");
    await using tools = await fileTools({ redact });
    await tools.put("a", "hunter1");
    const call = taken(await tools.prepare("write_file", { path: "a", content: "hunter2" }));
    const diff = [{ path: tools.path("a"), old_text: "[secret]", new_text: "[secret]" }];
    expect(call.preview.diff).toEqual(diff);
    expect((await run(call)).diff).toEqual(diff);
    expect(await tools.get("a")).toBe("hunter2");
  });

  test("says so when nothing would change, and touches nothing", async () => {
    await using tools = await fileTools();
    await tools.put("a", "same");
    expect((await tools.call("write_file", { path: "a", content: "same" })).text).toContain(
      "already",
    );
    expect(tools.images).toEqual([]);
  });

  test("replaces a file that was not read, and says so", async () => {
    await using tools = await fileTools();
    await tools.put("a", "old");
    expect((await tools.call("write_file", { path: "a", content: "new" })).text).toContain(
      "had not been read",
    );
    expect((await tools.call("write_file", { path: "a", content: "newer" })).text).toBe(
      "Replaced a.",
    );
  });

  test("refuses what is no text file, is read-only, linked twice, or no file at all", async () => {
    await using tools = await fileTools();
    await tools.put("x.png", Buffer.from("89504e470d0a1a0a", "hex"));
    await tools.put("ro", "");
    await chmod(tools.path("ro"), 0o444);
    await tools.put("one", "");
    await link(tools.path("one"), tools.path("two"));
    await mkdir(tools.path("dir"));
    execFileSync("mkfifo", [tools.path("pipe")]);
    for (const [path, reason] of [
      ["x.png", "image"],
      ["ro", "read-only"],
      ["two", "hard links"],
      ["dir", "folder"],
      ["pipe", "pipe"],
      ["new/", "names a folder"],
      ["new/.", "names a folder"],
      ["one/x", "file among its folders"],
      [".git/hooks/pre-commit", ".git/**"],
      ["../x", "outside"],
    ] as const) {
      const outcome = await tools.call("write_file", { path, content: "x" });
      expect(outcome.status, path).toBe("refused");
      expect(outcome.text, path).toContain(reason);
    }
  });
});

describe("write_file between question and answer", () => {
  test.each([
    ["changed", async (path: string) => writeFile(path, "theirs")],
    ["removed", async (path: string) => rename(path, `${path}.moved`)],
    [
      "became a link",
      async (path: string) => {
        await rename(path, `${path}.moved`);
        await symlink(`${path}.moved`, path);
      },
    ],
  ])("refuses when the file was %s", async (_what, interfere) => {
    await using tools = await fileTools();
    await tools.put("a", "shown");
    const call = taken(await tools.prepare("write_file", { path: "a", content: "new" }));
    await interfere(tools.path("a"));
    const before = await tools.files();
    expect(await run(call)).toMatchObject({
      status: "failed",
      text: expect.stringContaining("Nothing was changed."),
    });
    expect(await tools.files()).toEqual(before);
    expect(tools.images).toEqual([]);
  });

  test("refuses when a file was made where none was", async () => {
    await using tools = await fileTools();
    const call = taken(await tools.prepare("write_file", { path: "d/a", content: "new" }));
    await tools.put("d/a", "theirs");
    expect((await run(call)).text).toContain("made by somebody else");
    expect(await tools.get("d/a")).toBe("theirs");
  });

  test("refuses at the last moment when a file was made after everything was written", async () => {
    let interfere = async (): Promise<void> => undefined;
    await using tools = await fileTools({ beforeWrite: () => interfere() });
    interfere = () => tools.put("a", "theirs");
    expect((await tools.call("write_file", { path: "a", content: "new" })).status).toBe("failed");
    expect(await tools.get("a")).toBe("theirs");
    interfere = () => tools.put("a", "theirs again");
    expect((await tools.call("write_file", { path: "a", content: "new" })).status).toBe("failed");
    expect(await tools.get("a")).toBe("theirs again");
    expect(await tools.files()).toEqual(["a"]);
  });

  test("writes nothing outside when a folder becomes a link", async () => {
    await using tools = await fileTools();
    await mkdir(tools.folder.join("out"));
    await tools.put("dir/a", "shown");
    for (const path of ["dir/a", "dir/new", "dir/sub/new"]) {
      const call = taken(await tools.prepare("write_file", { path, content: "new" }));
      await rename(tools.path("dir"), tools.path("kept"));
      await symlink(tools.folder.join("out"), tools.path("dir"));
      expect(await run(call), path).toMatchObject({ status: "failed" });
      execFileSync("rm", [tools.path("dir")]);
      await rename(tools.path("kept"), tools.path("dir"));
    }
    expect(execFileSync("ls", ["-A", tools.folder.join("out")]).toString()).toBe("");
    expect(await tools.files()).toEqual(["dir/a"]);
  });

  test("writes into the folder that was checked when its name is given to another meanwhile", async () => {
    let interfere = async (): Promise<void> => undefined;
    await using tools = await fileTools({ beforeWrite: () => interfere() });
    await mkdir(tools.folder.join("out"));
    await tools.put("dir/a", "shown");
    interfere = async () => {
      await rename(tools.path("dir"), tools.path("kept"));
      await symlink(tools.folder.join("out"), tools.path("dir"));
    };
    await tools.call("write_file", { path: "dir/a", content: "new" });
    expect(execFileSync("ls", ["-A", tools.folder.join("out")]).toString()).toBe("");
    expect(await tools.get("kept/a")).toBe("new");
  });

  test("changes nothing when it is aborted before the first file is put in place", async () => {
    const controller = new AbortController();
    await using tools = await fileTools({ beforeWrite: async () => controller.abort() });
    const call = taken(await tools.prepare("write_file", { path: "new/a", content: "x" }));
    await expect(run(call, controller.signal)).rejects.toMatchObject({ code: "CORE_ABORTED" });
    expect(await tools.files()).toEqual([]);
    expect(tools.reads.hashOf(tools.path("new/a"))).toBeUndefined();
  });

  test("changes nothing after an abort or when the old file could not be kept", async () => {
    await using tools = await fileTools({
      beforeWrite: async () => {
        throw new Error("the store is full");
      },
    });
    await tools.put("a", "old");
    const call = taken(await tools.prepare("write_file", { path: "a", content: "new" }));
    await expect(run(call)).rejects.toThrow("the store is full");
    await expect(run(call, AbortSignal.abort())).rejects.toMatchObject({ code: "CORE_ABORTED" });
    const fresh = taken(await tools.prepare("write_file", { path: "new/b", content: "new" }));
    await expect(run(fresh)).rejects.toThrow("the store is full");
    expect(await tools.files()).toEqual(["a"]);
    expect(await tools.get("a")).toBe("old");
    await expect(stat(tools.path("new"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("write_file and what was read", () => {
  test("refuses a file that changed since, and takes it again after a read", async () => {
    await using tools = await fileTools();
    await tools.put("a", "one\n");
    await tools.call("read_file", { path: "a" });
    await tools.put("a", "theirs\n");
    expect(await tools.call("write_file", { path: "a", content: "x" })).toMatchObject({
      status: "refused",
      text: expect.stringContaining("since it was read"),
    });
    await tools.call("read_file", { path: "a" });
    await tools.call("write_file", { path: "a", content: "x" });
    await tools.call("write_file", { path: "a", content: "y" });
    expect(await tools.get("a")).toBe("y");
  });
});

describe("write_file through a host", () => {
  test("gives it the whole text, and writes the disk where it declines", async () => {
    const written: [string, string][] = [];
    await using tools = await fileTools({
      operations: {
        readBuffer: async (path) => (path.endsWith("open") ? "unsaved\n" : undefined),
        writeBuffer: async (path, content) => {
          if (!path.endsWith("open")) return false;
          written.push([path, content]);
          return true;
        },
      },
    });
    await tools.put("open", "saved\n");
    await tools.put("closed", "disk\n");
    const open = await tools.call("write_file", {
      path: "open",
      content: "more\n",
      mode: "append",
    });
    expect(open.diff?.[0]).toMatchObject({ old_text: "unsaved\n", new_text: "unsaved\nmore\n" });
    await tools.call("write_file", { path: "closed", content: "new\n" });
    expect(written).toEqual([[tools.path("open"), "unsaved\nmore\n"]]);
    expect(await tools.get("closed")).toBe("new\n");
    expect(await tools.get("open")).toBe("saved\n");
    expect(await tools.files()).toEqual(["closed", "open"]);
    expect(tools.images[0]?.content).toEqual(Buffer.from("unsaved\n"));
  });

  test("says that a file may have been written when the host does not tell, and writes it no second time", async () => {
    const asked: string[] = [];
    await using tools = await fileTools({
      operations: {
        writeBuffer: async (path, content) => {
          asked.push(`${path.slice(-1)} ${content}`);
          return path.endsWith("b") ? "unconfirmed" : path.endsWith("a");
        },
      },
    });
    await tools.put("a", "old a\n");
    await tools.put("b", "old b\n");
    const patch = [
      "*** Begin Patch",
      ...["a", "b"].flatMap((name) => [`*** Update File: ${name}`, "@@", `-old ${name}`, "+new"]),
      "*** End Patch",
    ].join("\n");
    const { status, text } = await tools.call("apply_patch", { patch });
    expect({ status, text }).toEqual({
      status: "failed",
      text:
        "The editor did not say whether it wrote b: it may have been written. It was not written again, " +
        "and nothing else was changed; read it before you go on.",
    });
    expect(asked).toEqual(["a new\n", "b new\n", "a old a\n"]);
    expect(await tools.get("b")).toBe("old b\n");
  });

  test("fails when the host fails, and ends at an abort while it is silent", async () => {
    let write = (): Promise<boolean> => Promise.reject(new Error("the buffer is locked"));
    await using tools = await fileTools({ operations: { writeBuffer: () => write() } });
    await tools.put("a", "old");
    expect(await tools.call("write_file", { path: "a", content: "x" })).toMatchObject({
      status: "failed",
      text: "The editor did not write a (the buffer is locked). Nothing was changed.",
    });
    const controller = new AbortController();
    write = () => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const call = taken(await tools.prepare("write_file", { path: "a", content: "x" }));
    // Whether a silent editor has written it cannot be known.
    expect((await run(call, controller.signal)).text).toContain("look at the editor");
    expect(await tools.files()).toEqual(["a"]);
  });
});
