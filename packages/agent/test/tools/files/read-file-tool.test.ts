import { execFileSync } from "node:child_process";
import { link, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { fileTools, run, taken } from "./harness.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

describe("read_file shows text", () => {
  test("as it is, without a note when there is nothing to note", async () => {
    await using tools = await fileTools();
    await tools.put("a.ts", "one\n\ttwo é 😀\n");
    const outcome = await tools.call("read_file", { path: "a.ts" });
    expect(outcome).toMatchObject({ status: "completed", text: "one\n\ttwo é 😀\n" });
    expect(outcome.output).toHaveLength(1);
    expect(outcome.truncated).toBeUndefined();
    const call = taken(await tools.prepare("read_file", { path: "a.ts", start_line: 2 }));
    expect(call.preview).toEqual({
      title: "Read a.ts",
      risk: "read",
      subject: { type: "files", access: "read", paths: [tools.path("a.ts")] },
      locations: [{ path: tools.path("a.ts"), line: 2 }],
      diff: [],
    });
  });

  test("of a range, with numbers when they are wanted", async () => {
    await using tools = await fileTools();
    await tools.put("a.txt", "1\n2\n3\n4");
    expect(
      await tools.call("read_file", { path: "a.txt", start_line: 2, end_line: 3 }),
    ).toMatchObject({ text: "2\n3\n\n[a.txt: lines 2-3 of 4]" });
    expect(
      await tools.call("read_file", { path: "a.txt", start_line: 3, numbered: true }),
    ).toMatchObject({ text: "     3\t3\n     4\t4\n[a.txt: lines 3-4 of 4]" });
    for (const [input, reason] of [
      [{ start_line: 5 }, "has 4 lines; start_line 5 is behind its end"],
      [{ start_line: 3, end_line: 2 }, "end_line 2 is before start_line 3"],
      [{ start_line: 0 }, "start_line"],
      [{ line: 1 }, 'unknown field "line"'],
    ] as const)
      expect((await tools.call("read_file", { path: "a.txt", ...input })).text).toContain(reason);
  });

  test("up to 2,000 lines, and says where to go on", async () => {
    await using tools = await fileTools();
    const lines = Array.from({ length: 4_500 }, (_, index) => `line ${index + 1}\n`);
    await tools.put("long.txt", lines.join(""));
    const first = await tools.call("read_file", { path: "long.txt" });
    expect(first).toMatchObject({ status: "completed", truncated: true });
    expect(first.output?.[0]).toEqual({ type: "text", text: lines.slice(0, 2_000).join("") });
    expect(first.text).toContain("[long.txt: lines 1-2000 of 4500; go on with start_line 2001]");
    const last = await tools.call("read_file", { path: "long.txt", start_line: 4_001 });
    expect(last.output?.[0]).toEqual({ type: "text", text: lines.slice(4_000).join("") });
    expect(last.truncated).toBeUndefined();
  });

  test("up to 50 KB, and cuts a single line that is longer", async () => {
    await using tools = await fileTools();
    await tools.put("wide.txt", `${"ü".repeat(20_000)}\n${"b".repeat(20_000)}\n`);
    const wide = await tools.call("read_file", { path: "wide.txt" });
    expect(wide.text).toContain("lines 1-1 of 2; go on with start_line 2");
    await tools.put("min.js", `${"😀".repeat(30_000)}\nnext\n`);
    const cut = await tools.call("read_file", { path: "min.js" });
    expect(cut.truncated).toBe(true);
    const [block] = cut.output ?? [];
    const text = block?.type === "text" ? block.text : "";
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50 * 1_024);
    expect(text).toMatch(/^(?:😀)+ \[line cut: it has a length of 60000\]\n$/u);
    expect(cut.text).toContain("go on with start_line 2");
  });

  test("with the notes on how it is stored", async () => {
    await using tools = await fileTools();
    for (const [name, bytes, text, note] of [
      ["crlf", "a\r\nb\r\n", "a\nb\n", "CRLF line ends"],
      ["mixed", "a\r\nb\n", "a\nb\n", "mixed LF and CRLF"],
      ["bom", "\uFEFFa\n", "a\n", "byte order mark"],
      ["latin", Buffer.from("caf\xe9\n", "latin1"), "café\n", "latin-1"],
      ["le", Buffer.from("\uFEFFhé\r\n", "utf16le"), "hé\n", "utf-16le"],
      ["be", Buffer.from("\uFEFFhé\n", "utf16le").swap16(), "hé\n", "utf-16be"],
      ["empty", "", "", "the file is empty"],
    ] as const) {
      await tools.put(name, bytes);
      const outcome = await tools.call("read_file", { path: name });
      expect(outcome.output?.[0], name).toEqual({ type: "text", text });
      expect(outcome.text, name).toContain(note);
    }
  });

  test("of the host's buffer before the disk's", async () => {
    const asked: string[] = [];
    const readBuffer = async (path: string): Promise<string | undefined> => {
      asked.push(path);
      return path.endsWith("open.ts") ? "unsaved\n" : undefined;
    };
    await using tools = await fileTools({ operations: { readBuffer } });
    await tools.put("open.ts", "saved\n");
    await tools.put("closed.ts", "disk\n");
    expect(await tools.call("read_file", { path: "open.ts" })).toMatchObject({ text: "unsaved\n" });
    expect(await tools.call("read_file", { path: "closed.ts" })).toMatchObject({ text: "disk\n" });
    expect(await tools.call("read_file", { path: "new/open.ts" })).toMatchObject({
      text: "unsaved\n",
    });
    expect((await tools.call("read_file", { path: "no.ts" })).text).toContain("no file no.ts");
    expect((await tools.call("read_file", { path: ".env" })).text).toContain(".env*");
    expect(asked).toEqual(["open.ts", "closed.ts", "new/open.ts", "no.ts"].map(tools.path));
  });

  test("without the secrets that the redactor knows", async () => {
    await using tools = await fileTools({
      redact: (text) => text.replaceAll("hunter2", "[secret]"),
    });
    await tools.put("a", "password hunter2\n");
    expect((await tools.call("read_file", { path: "a" })).text).toBe("password [secret]\n");
  });
});

describe("read_file and other kinds", () => {
  test("shows images by their first bytes, whatever the name", async () => {
    await using tools = await fileTools();
    await tools.put("picture.txt", PNG);
    expect((await tools.call("read_file", { path: "picture.txt" })).output).toEqual([
      { type: "image", mime_type: "image/png", data: PNG.toString("base64") },
    ]);
    await tools.put("huge.png", Buffer.concat([PNG, Buffer.alloc(4 * 1_024 * 1_024)]));
    expect((await tools.call("read_file", { path: "huge.png" })).text).toContain("smaller copy");
  });

  test("refuses binary files with kind and size", async () => {
    await using tools = await fileTools();
    for (const [hex, what] of [
      ["255044462d312e37", "a PDF document of 8 bytes"],
      ["7f454c4602010100", "an ELF program of 8 bytes"],
      ["504b030414000000", "a ZIP archive of 8 bytes"],
      ["0102030405060708", "binary data of 8 bytes"],
      ["6162630064656667", "binary data of 8 bytes"],
    ] as const) {
      await tools.put("x", Buffer.from(hex, "hex"));
      expect(await tools.call("read_file", { path: "x" })).toMatchObject({
        status: "failed",
        text: expect.stringContaining(what),
      });
    }
  });

  test("refuses folders, pipes, sockets and devices without hanging", async () => {
    await using tools = await fileTools();
    await mkdir(tools.path("dir"));
    execFileSync("mkfifo", [tools.path("pipe")]);
    expect((await tools.call("read_file", { path: "dir" })).text).toContain("is a folder");
    expect((await tools.call("read_file", { path: "pipe" })).text).toContain(
      "pipe, socket or device",
    );
  });

  test("names a near file when there is none of that name", async () => {
    await using tools = await fileTools();
    await tools.put("src/server.ts", "");
    expect(await tools.call("read_file", { path: "src/sever.ts" })).toEqual({
      status: "refused",
      text: "There is no file src/sever.ts. Did you mean src/server.ts?",
    });
  });
});

describe("read_file keeps secrets", () => {
  test("by the content's head, in any encoding", async () => {
    await using tools = await fileTools();
    const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n";
    for (const bytes of [
      key,
      `Bag Attributes\r\n${key.replaceAll("\n", "\r\n")}`,
      Buffer.from(`\uFEFF${key}`, "utf16le"),
      "# created: 2024\nAGE-SECRET-KEY-1QQQ\n",
    ]) {
      await tools.put("notes.txt", bytes);
      expect((await tools.call("read_file", { path: "notes.txt" })).text).toContain("private keys");
    }
    const prose = "-----BEGIN PRIVATE KEY----- is how it begins\n";
    await tools.put("code.ts", `const head = "-----BEGIN PRIVATE KEY-----";\n${prose}`);
    expect((await tools.call("read_file", { path: "code.ts" })).status).toBe("completed");
  });

  test("behind hard links, which may lead anywhere", async () => {
    await using tools = await fileTools();
    await writeFile(tools.folder.join("secret"), "secret");
    await link(tools.folder.join("secret"), tools.path("x"));
    expect((await tools.call("read_file", { path: "x" })).text).toContain("2 hard links");
    await mkdir(tools.path("node_modules/a"), { recursive: true });
    await link(tools.folder.join("secret"), tools.path("node_modules/a/index.js"));
    expect((await tools.call("read_file", { path: "node_modules/a/index.js" })).text).toBe(
      "secret",
    );
  });

  test("behind a link that is planted between check and use", async () => {
    await using tools = await fileTools();
    await mkdir(tools.folder.join("out"));
    await writeFile(tools.folder.join("out", "a.txt"), "secret");
    await tools.put("dir/a.txt", "own");
    const file = taken(await tools.prepare("read_file", { path: "dir/a.txt" }));
    await rename(tools.path("dir/a.txt"), tools.path("dir/b.txt"));
    await symlink(tools.folder.join("out", "a.txt"), tools.path("dir/a.txt"));
    expect((await run(file)).text).toContain("became a link");
    await rename(tools.path("dir/b.txt"), tools.path("dir/a.txt"));
    const folder = taken(await tools.prepare("read_file", { path: "dir/a.txt" }));
    await rename(tools.path("dir"), tools.path("moved"));
    await symlink(tools.folder.join("out"), tools.path("dir"));
    expect((await run(folder)).text).toContain("changed its place");
  });
});

describe("read_file of a huge file", () => {
  const LINE = `${"x".repeat(99)}\n`;

  test("reads only the range, and no further", async () => {
    await using tools = await fileTools();
    const body = LINE.repeat(200_000);
    await tools.put("huge.log", `first\r\n${body}last`);
    const start = await tools.call("read_file", { path: "huge.log", end_line: 2 });
    expect(start.text).toBe(
      `first\n${LINE}\n[huge.log: lines 1-2; mixed LF and CRLF line ends, shown as LF]`,
    );
    const end = await tools.call("read_file", { path: "huge.log", start_line: 200_001 });
    expect(end.text).toBe(`${LINE}last\n[huge.log: lines 200001-200002]`);
    const all = await tools.call("read_file", { path: "huge.log", numbered: true });
    expect(all.truncated).toBe(true);
    expect(all.text).toMatch(/^ {5}1\tfirst\n/);
    expect(all.text).toMatch(/lines 1-\d+; go on with start_line \d+/);
    expect((await tools.call("read_file", { path: "huge.log", start_line: 300_000 })).text).toBe(
      "huge.log ends before line 300000.",
    );
  });

  test("cuts a line that is longer than the limit", async () => {
    await using tools = await fileTools();
    await tools.put("one.json", `${"é".repeat(6 * 1_024 * 1_024)}\nsecond\n`);
    const outcome = await tools.call("read_file", { path: "one.json" });
    expect(outcome.truncated).toBe(true);
    expect(outcome.text).toMatch(/^é+ \[line cut: it has a length of 12582912\]\n/);
    expect(outcome.text).toContain("go on with start_line 2");
  });

  test("refuses what is no text, and stops when it is aborted", async () => {
    await using tools = await fileTools();
    await tools.put("huge.bin", Buffer.alloc(11 * 1_024 * 1_024));
    expect((await tools.call("read_file", { path: "huge.bin" })).text).toContain("binary data");
    await tools.put("huge.txt", LINE.repeat(120_000));
    const call = taken(await tools.prepare("read_file", { path: "huge.txt", start_line: 119_999 }));
    await expect(run(call, AbortSignal.abort())).rejects.toMatchObject({ code: "CORE_ABORTED" });
  });
});
