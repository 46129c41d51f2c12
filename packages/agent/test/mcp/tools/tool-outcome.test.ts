import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { contentBlockSchema } from "../../../src/content/content-block.ts";
import { toolOutcome } from "../../../src/mcp/tools/tool-outcome.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import type { ToolOutcome } from "../../../src/tools/tool.ts";
import { SECRET } from "./support/tool-fixture.ts";

const PNG = Buffer.from("89504e470d0a1a0a00", "hex").toString("base64");
const { signal } = new AbortController();

async function outcome(
  result: Record<string, unknown>,
  folder?: string,
): Promise<ToolOutcome & { readonly text: string }> {
  const made = await toolOutcome(result, {
    outputFolder: () =>
      folder === undefined
        ? Promise.reject(new Error("no folder is expected to be needed"))
        : Promise.resolve(folder),
    redact: createRedactor([SECRET]),
    name: "7-mcp",
    signal,
  });
  for (const block of made.output) contentBlockSchema.parse(block);
  const texts = made.output.map((block) => ("text" in block ? (block.text ?? "") : ""));
  return { ...made, text: texts.join("\n") };
}

function content(...blocks: unknown[]): Record<string, unknown> {
  return { content: blocks };
}

function text(words: string): Record<string, unknown> {
  return { type: "text", text: words };
}

test("every kind of content becomes a typed block", async () => {
  const link = { uri: "file:///a", name: "a", title: "A", description: "d", size: 3 };
  const made = await outcome(
    content(
      text("words"),
      { type: "image", data: PNG, mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///t", mimeType: "text/plain", text: "inside" } },
      { type: "resource", resource: { uri: "file:///i", mimeType: "image/png", blob: PNG } },
      { type: "resource_link", ...link, mimeType: "text/plain" },
    ),
  );
  expect(made).toMatchObject({ status: "completed", truncated: false });
  expect(made.output).toEqual([
    { type: "text", text: "words" },
    { type: "image", mime_type: "image/png", data: PNG },
    { type: "audio", mime_type: "audio/wav", data: "AAAA" },
    { type: "resource", uri: "file:///t", mime_type: "text/plain", text: "inside" },
    { type: "resource", uri: "file:///i", mime_type: "image/png", blob: PNG },
    { type: "resource_link", ...link, mime_type: "text/plain" },
  ]);
});

test("nulls for optional fields are no faults", async () => {
  const made = await outcome({
    content: [
      { type: "text", text: "a", annotations: null, _meta: null },
      { type: "resource_link", uri: "u", name: null, title: null, size: null, mimeType: null },
    ],
    structuredContent: null,
    isError: null,
    _meta: null,
  });
  expect(made.status).toBe("completed");
  expect(made.output).toEqual([
    { type: "text", text: "a" },
    { type: "resource_link", uri: "u", name: "u" },
  ]);
});

test.each<[unknown, string]>([
  [{ type: "video", data: "x" }, "[unsupported block: video]"],
  [{ type: 5 }, "[unsupported block: unknown]"],
  [null, "[unsupported block: null]"],
  [7, "[unsupported block: number]"],
  [{ type: "text" }, "[text that cannot be used: it has no text]"],
  [{ type: "image" }, "[image that cannot be used: it has no data]"],
  [
    { type: "image", data: "%%%", mimeType: "image/png" },
    "[image of type image/png that cannot be used: its data is no Base64]",
  ],
  [
    { type: "resource", resource: { uri: "u" } },
    "[resource that cannot be used: it has no content]",
  ],
  [{ type: "resource_link" }, "[resource_link that cannot be used: it has no uri]"],
])("%j becomes a line", async (block, line) => {
  expect((await outcome(content(block))).output).toEqual([{ type: "text", text: line }]);
});

test("Base64 of another alphabet and with line breaks is understood", async () => {
  const bytes = Buffer.from("fffeefbe00", "hex");
  const data = bytes.toString("base64url").replace(/(.{3})/g, "$1\n");
  const { output } = await outcome(content({ type: "image", data, mimeType: "image/png" }));
  expect(output).toEqual([
    { type: "image", mime_type: "image/png", data: bytes.toString("base64") },
  ]);
});

test.each<[unknown]>([[[]], [undefined], [null], [[text(" ")]], [[text("")]]])(
  "%j is an answer without words",
  async (blocks) => {
    const empty = await outcome({ content: blocks });
    expect(empty).toMatchObject({
      status: "completed",
      text: "The tool ended and answered nothing.",
    });
    const error = await outcome({ content: blocks, isError: true });
    expect(error).toMatchObject({ status: "failed", text: "The tool failed without saying why." });
  },
);

test("an error of the tool is failed, with everything it says", async () => {
  const made = await outcome({ ...content(text("no such page")), isError: true });
  expect(made).toMatchObject({ status: "failed", text: "no such page" });
});

const DATA = { city: "Oslo", days: [{ temperature: 3 }] };
const structured = (data: unknown) => ({ type: "structured", data });

test.each<[string, unknown[], unknown, unknown[]]>([
  [
    "the same as text",
    [text(JSON.stringify(DATA, null, 2))],
    DATA,
    [text(JSON.stringify(DATA, null, 2))],
  ],
  ["no text", [], DATA, [structured(DATA)]],
  ["blank text", [text(" \n")], DATA, [structured(DATA)]],
  [
    "less than the text",
    [text(JSON.stringify({ ...DATA, more: 1 }))],
    DATA,
    [text(JSON.stringify({ ...DATA, more: 1 }))],
  ],
  ["more than the text", [text('{"city":"Oslo"}')], DATA, [structured(DATA)]],
  ["more than words", [text("It is cold.")], DATA, [text("It is cold."), structured(DATA)]],
  ["what the words say", [text("Oslo: 3 degrees.")], DATA, [text("Oslo: 3 degrees.")]],
  [
    "a number within another",
    [text("Oslo: 31 degrees, 0.3 mm")],
    DATA,
    [text("Oslo: 31 degrees, 0.3 mm"), structured(DATA)],
  ],
  ["wrapped text", [text("plain")], { result: "plain" }, [text("plain")]],
  [
    "a list whose items are texts",
    [text('{"id":1}'), text('{"id":2}')],
    { result: [{ id: 1 }, { id: 2 }] },
    [structured({ result: [{ id: 1 }, { id: 2 }] })],
  ],
  ["other data", [text('{"a":1}')], { b: 2 }, [text('{"a":1}'), structured({ b: 2 })]],
  [
    "a flag that nobody says",
    [text("done")],
    { done: true },
    [text("done"), structured({ done: true })],
  ],
  [
    "another name for a number",
    [text('{"a":1}')],
    { b: 1 },
    [text('{"a":1}'), structured({ b: 1 })],
  ],
  ["nothing", [text("done")], {}, [text("done")]],
  ["a list", [], [1, 2], [structured([1, 2])]],
  ["zero", [], 0, [structured(0)]],
])("a structure that holds %s", async (_name, blocks, data, expected) => {
  const made = await outcome({ content: blocks, structuredContent: data });
  expect(made.output).toEqual(expected);
});

test("a long text is cut in the middle, and the whole is kept for the user alone, without secrets", async () => {
  await using folder = await tempFolder();
  // The secret stands where the text is cut.
  const long = `begin ${"a".repeat(25_575)}${SECRET}\u0000\ud800${"z".repeat(60_000)} end`;
  const made = await outcome(content(text(long), text("short")), folder.path);
  expect(made.truncated).toBe(true);
  expect(made.output[1]).toEqual(text("short"));
  expect(made.text.startsWith("begin aaa")).toBe(true);
  expect(made.text).toContain("zzz end");
  expect(Buffer.byteLength(made.text)).toBeLessThan(53_000);
  expect(made.text).not.toContain(SECRET.slice(0, 6));
  const [file = ""] = await readdir(folder.path);
  expect(file).toMatch(/^7-mcp-[0-9a-z]{6}\.txt$/);
  expect(made.text).toContain(`the whole text of the result: ${join(folder.path, file)};`);
  const kept = await readFile(join(folder.path, file), "utf8");
  expect(kept).toBe(`begin ${"a".repeat(25_575)}[hidden]\ufffd${"z".repeat(60_000)} end\nshort`);
  expect((await stat(join(folder.path, file))).mode & 0o777).toBe(0o600);
});

test("many texts, documents and structures share one limit", async () => {
  await using folder = await tempFolder();
  const long = (letter: string) => `${letter.repeat(99)}\n`.repeat(400);
  const made = await outcome(
    {
      content: [
        text(long("a")),
        { type: "resource", resource: { uri: "file:///x", text: long("b") } },
      ],
      structuredContent: { list: Array.from({ length: 9000 }, (_, index) => `item ${index}`) },
    },
    folder.path,
  );
  expect(made.output.map(({ type }) => type)).toEqual(["text", "resource", "text"]);
  expect(Buffer.byteLength(made.text)).toBeLessThan(54_000);
  const kept = await readFile(join(folder.path, (await readdir(folder.path))[0] ?? ""), "utf8");
  for (const part of [long("a"), long("b"), '"item 8999"']) expect(kept).toContain(part);
});

test("more than 100 blocks are kept in the file", async () => {
  await using folder = await tempFolder();
  const blocks = Array.from({ length: 130 }, (_, index) => text(`block ${index}`));
  const made = await outcome(content(...blocks), folder.path);
  expect(made.output).toHaveLength(101);
  expect(made.text).toContain("[30 more blocks left out; the whole text of the result: ");
  const kept = await readFile(join(folder.path, (await readdir(folder.path))[0] ?? ""), "utf8");
  expect(kept).toContain("block 129");
});

test("data, and images that are too large, are written to files whose names are ours", async () => {
  await using folder = await tempFolder();
  const image = Buffer.alloc(4 * 1024 * 1024, 7);
  const made = await outcome(
    content(
      {
        type: "resource",
        resource: { uri: "file:///../../etc/passwd", mimeType: "application/pdf", blob: "AAEC" },
      },
      { type: "image", mimeType: "image/../../x", data: image.toString("base64") },
    ),
    folder.path,
  );
  const files = (await readdir(folder.path)).toSorted();
  expect(files.map((file) => file.replace(/-[0-9a-z]{6}\./, ".")).toSorted()).toEqual([
    "7-mcp.bin",
    "7-mcp.pdf",
  ]);
  const lines = made.output.map((block) => (block.type === "text" ? block.text : ""));
  const path = (ending: string) =>
    join(folder.path, files.find((file) => file.endsWith(ending)) ?? "");
  expect(lines).toEqual([
    `[data of file:///../../etc/passwd, type application/pdf, 3 bytes: saved to ${path("pdf")}]`,
    `[image, type image/../../x, ${image.length} bytes: saved to ${path("bin")}]`,
  ]);
  expect([...(await readFile(path("pdf")))]).toEqual([0, 1, 2]);
  expect((await stat(path("bin"))).mode & 0o777).toBe(0o600);
  expect(basename(path("bin"))).toMatch(/^7-mcp-/);
});

test("images of one result are shown up to 20 MB in all", async () => {
  await using folder = await tempFolder();
  const data = Buffer.alloc(3_700_000, 7).toString("base64");
  const blocks = Array.from({ length: 6 }, () => ({ type: "image", mimeType: "image/png", data }));
  const made = await outcome(content(...blocks), folder.path);
  expect(made.output.map(({ type }) => type)).toEqual([
    ...Array.from({ length: 4 }, () => "image"),
    "text",
    "text",
  ]);
  expect(await readdir(folder.path)).toHaveLength(2);
});

test("what cannot be kept is said", async () => {
  await using folder = await tempFolder();
  const made = await outcome(content(text("x".repeat(60_000))), folder.join("gone"));
  expect(made).toMatchObject({ status: "completed", truncated: true });
  expect(made.text).toContain("the whole result could not be kept (ENOENT)");
});

test("an abort ends it", async () => {
  const controller = new AbortController();
  controller.abort(new Error("stopped"));
  const made = toolOutcome(content(text("x")), {
    outputFolder: () => Promise.reject(new Error("not needed")),
    redact: createRedactor(),
    name: "n",
    signal: controller.signal,
  });
  await expect(made).rejects.toThrow("aborted");
});

test("whatever a server answers becomes blocks", async () => {
  await using folder = await tempFolder();
  const block = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.record(
      {
        type: fc.constantFrom("text", "image", "audio", "resource", "resource_link", "x"),
        text: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 1 })),
        data: fc.oneof(fc.base64String(), fc.jsonValue({ maxDepth: 0 })),
        mimeType: fc.jsonValue({ maxDepth: 0 }),
        uri: fc.jsonValue({ maxDepth: 0 }),
        resource: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: ["type"] },
    ),
  );
  const result = fc.record(
    {
      content: fc.oneof(fc.array(block, { maxLength: 4 }), fc.jsonValue()),
      structuredContent: fc.jsonValue(),
      isError: fc.jsonValue({ maxDepth: 0 }),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(result, async (raw) => {
      const made = await outcome(raw, folder.path);
      expect(made.output.length).toBeGreaterThan(0);
      expect(made.text).not.toMatch(/\0|\p{Cs}/u);
    }),
    { numRuns: 200 },
  );
});
