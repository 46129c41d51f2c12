import { tempFolder } from "@acumen/testkit";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { type AttachDeps, attachFiles } from "../../src/attachments/attach-files.ts";
import { type ContentBlock, textBlock } from "../../src/content/content-block.ts";
import { ReadLedger } from "../../src/workspace/read-ledger.ts";
import { sha256 } from "../../src/workspace/sha256.ts";
import { openWorkspace } from "../../src/workspace/workspace.ts";

async function attacher(deps: Partial<AttachDeps> = {}) {
  const folder = await tempFolder();
  await mkdir(folder.join("ws", "src"), { recursive: true });
  const workspace = await openWorkspace({ cwd: folder.join("ws") });
  const reads = new ReadLedger();
  return {
    folder,
    reads,
    uri: (name: string) => pathToFileURL(folder.join("ws", name)).href,
    put: (name: string, content: string | Uint8Array) =>
      writeFile(folder.join("ws", name), content),
    /** The blocks that are added to a text. */
    attach: async (prompt: string | readonly ContentBlock[]) => {
      const blocks = typeof prompt === "string" ? [textBlock(prompt)] : prompt;
      const signal = new AbortController().signal;
      const { content: all } = await attachFiles(blocks, workspace, {
        reads,
        redact: (text) => text,
        signal,
        ...deps,
      });
      expect(all[0]).toEqual(blocks[0]);
      return all.slice(1);
    },
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

describe("files named in a prompt", () => {
  test("are attached behind the text, however they are written", async () => {
    await using files = await attacher();
    await files.put("src/a.ts", "one\r\ntwo");
    await files.put("with space.md", "# Title\n");
    await files.put("odd).txt", "odd");
    const a = {
      type: "resource",
      uri: files.uri("src/a.ts"),
      mime_type: "text/plain",
      text: "one\ntwo",
    };
    for (const text of [
      "look at @src/a.ts",
      "@src/a.ts",
      "(see @src/a.ts), please",
      "@src/a.ts?!",
      "Is it @./src/../src/a.ts...",
      `@${files.folder.join("ws", "src", "a.ts")}: why`,
      "@src/a.ts and again @src/a.ts, @./src/a.ts",
    ])
      expect(await files.attach(text), text).toEqual([a]);
    expect(await files.attach('compare @"with space.md" with @odd).txt')).toEqual([
      {
        type: "resource",
        uri: files.uri("with space.md"),
        mime_type: "text/plain",
        text: "# Title\n",
      },
      { type: "resource", uri: files.uri("odd).txt"), mime_type: "text/plain", text: "odd" },
    ]);
    expect(files.reads.hashOf(files.folder.join("ws", "src", "a.ts"))).toBe(
      sha256(Buffer.from("one\r\ntwo")),
    );
  });

  test("are refused when a rule of the settings keeps them from the model", async () => {
    await using files = await attacher({
      deniedRead: (path) => (path.endsWith("/src/a.ts") ? "read_file(src/**)" : undefined),
    });
    await files.put("src/a.ts", "one");
    await files.put("b.ts", "two");
    await expect(files.attach("see @b.ts and @src/a.ts")).rejects.toMatchObject({
      code: "AGENT_PROMPT_INVALID",
      message: expect.stringContaining("rule deny read_file(src/**)"),
    });
    expect(await files.attach("see @b.ts")).toHaveLength(1);
  });

  test("mean nothing when there is no such file inside", async () => {
    await using files = await attacher();
    await files.put("a.ts", "");
    await writeFile(files.folder.join("outside.ts"), "secret");
    await symlink(files.folder.join("outside.ts"), files.folder.join("ws", "link.ts"));
    for (const text of [
      "mail me@a.ts",
      "the @acumen/core package, @types, @",
      "@src and @src/",
      "@../outside.ts @link.ts @/etc/passwd @~/x",
      "@.env @src/id_rsa",
      '@"" @"a.ts',
      "a@b@a.ts",
    ])
      expect(await files.attach(text), text).toEqual([]);
  });

  test("come as images, as links where they cannot be shown, and cut where they are long", async () => {
    await using files = await attacher();
    const png = Buffer.from("89504e470d0a1a0a", "hex");
    await files.put("a.png", png);
    await files.put("a.zip", Buffer.from("504b030400", "hex"));
    await files.put("big.png", Buffer.concat([png, Buffer.alloc(4 * 1_024 * 1_024)]));
    await files.put("long.txt", "line\n".repeat(3_000));
    await files.put("huge.log", `${"x".repeat(99)}\n`.repeat(120_000));
    expect(await files.attach("@a.png @a.zip @big.png")).toEqual([
      { type: "image", mime_type: "image/png", data: png.toString("base64") },
      {
        type: "resource_link",
        uri: files.uri("a.zip"),
        name: "a.zip",
        description: "a ZIP archive",
        size: 5,
      },
      {
        type: "resource_link",
        uri: files.uri("big.png"),
        name: "big.png",
        description: "image/png, too large to be shown",
        size: 4 * 1_024 * 1_024 + 8,
      },
    ]);
    expect(await files.attach("@long.txt")).toMatchObject([
      {
        text: `${"line\n".repeat(2_000)}[long.txt: lines 1-2000 of 3000; read_file shows the rest from start_line 2001]`,
      },
    ]);
    const [huge] = await files.attach("@huge.log");
    expect(huge?.type === "resource" && huge.text).toMatch(
      /read_file shows the rest from start_line \d+\]$/,
    );
  });

  test("are refused when they may not be read", async () => {
    await using files = await attacher();
    await files.put(".env", "KEY=1");
    await files.put("notes", "-----BEGIN PRIVATE KEY-----\nAAAA\n");
    await symlink(".env", files.folder.join("ws", "conf"));
    await writeFile(files.folder.join("outside"), "secret");
    await link(files.folder.join("outside"), files.folder.join("ws", "hard"));
    for (const [text, reason] of [
      ["@.env", ".env*"],
      ["@conf.", ".env*"],
      ["@notes", "private keys"],
      ["@hard", "hard links"],
    ] as const) {
      const failure = files.attach(text);
      await expect(failure, text).rejects.toMatchObject({ code: "AGENT_PROMPT_INVALID" });
      await expect(failure, text).rejects.toThrow(reason);
    }
  });

  test("are taken from the host's buffer, without secrets, and not twice", async () => {
    await using files = await attacher({
      operations: { readBuffer: async () => "token hunter2" },
      redact: (text) => text.replaceAll("hunter2", "[secret]"),
    });
    await files.put("a.ts", "saved");
    expect(await files.attach("@a.ts")).toMatchObject([{ text: "token [secret]" }]);
    const given: ContentBlock = { type: "resource", uri: files.uri("a.ts"), text: "given" };
    expect(await files.attach([textBlock("@a.ts"), given])).toEqual([given]);
  });

  test("are looked for once, however often a long text names them, and no longer than wanted", async () => {
    await using files = await attacher();
    const marks = "@nothing".concat(")".repeat(2_000_000));
    const many = "@nothing.here ".repeat(400_000);
    expect(await files.attach(`${many}${marks}`)).toEqual([]);
    await using stopped = await attacher({ signal: AbortSignal.abort() });
    await expect(stopped.attach("@nothing")).rejects.toMatchObject({
      code: "CORE_ABORTED",
    });
  });

  test("are at most twenty", async () => {
    await using files = await attacher();
    const names = Array.from({ length: 21 }, (_, index) => `f${index}`);
    for (const name of names) await files.put(name, name);
    const words = names.map((name) => `@${name}`);
    expect(await files.attach(words.slice(1).join(" "))).toHaveLength(20);
    await expect(files.attach(words.join(" "))).rejects.toMatchObject({
      code: "AGENT_PROMPT_INVALID",
    });
  });
});
