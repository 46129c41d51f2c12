import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { readOfferedTools } from "../../../src/mcp/offered-tools.ts";
import { toolOutcome } from "../../../src/mcp/tools/tool-outcome.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import type { Tool, ToolOutcome } from "../../../src/tools/tool.ts";
import { answer, mcpTool, runTool, SECRET } from "./support/tool-fixture.ts";

const { signal } = new AbortController();
const DONE = answer({ content: [{ type: "text", text: "done" }] });
const redact = createRedactor([SECRET]);
/** More than enough to give away that it is the secret. */
const HALF = SECRET.slice(0, 5);

async function outcome(content: readonly unknown[], folder = ""): Promise<ToolOutcome> {
  return toolOutcome(
    { content },
    { outputFolder: () => Promise.resolve(folder), redact, name: "7-mcp", signal },
  );
}

function offered(listed: Record<string, unknown>): Tool | undefined {
  const server = {
    name: "demo",
    source: "machine",
    transport: "stdio",
    enabled: true,
    missing: false,
    fingerprint: "f",
    secrets: [],
  } as const;
  return readOfferedTools(server, [{ name: "find", ...listed }], {
    call: DONE,
    outputFolder: () => Promise.reject(new Error("no folder is expected to be needed")),
    redact,
  }).get("find")?.tool;
}

test("what a model reads of a tool holds no secret, nor the half of one where it is cut", () => {
  const positions = [0, 1, 5, 10, 20, SECRET.length - 1, SECRET.length];
  for (const at of positions) {
    const cut = (bytes: number): string => `${"x".repeat(bytes - at)}${SECRET} and more`;
    const tool = offered({
      description: cut(2048 - '[Text of the MCP server "demo"] '.length),
      inputSchema: {
        type: "object",
        title: cut(200),
        properties: {
          query: {
            type: "string",
            description: cut(1024),
            default: SECRET,
            examples: [`a ${SECRET}`],
          },
          list: { type: "array", prefixItems: [{ type: "string", title: SECRET }] },
        },
      },
    });
    const shown = JSON.stringify([tool?.description, tool?.inputSchema]);
    expect(shown).toContain("xxx");
    expect(shown).not.toContain(HALF);
    expect(tool?.inputSchema).not.toHaveProperty(["properties", "query", "default"]);
    expect(tool?.inputSchema).not.toHaveProperty(["properties", "query", "examples"]);
  }
});

test("names and values that a server expects stay in a schema", () => {
  const inputSchema = { type: "object", properties: { [SECRET]: { enum: [SECRET] } } };
  expect(offered({ inputSchema })?.inputSchema).toMatchObject({
    properties: { [SECRET]: { enum: [SECRET] } },
  });
});

test("what zero-width characters keep apart is hidden when they are gone", () => {
  const split = `${HALF}\u200b${SECRET.slice(5)}`;
  expect(offered({ description: `Finds ${split}.` })?.description).toContain("Finds [hidden].");
});

test("the title of a call holds no half of a secret where it stops reading", async () => {
  // Hidden ones make room for what stands far behind.
  const long = Array.from({ length: 300 }, (_, index) => `k${index}`).join("-");
  for (const at of [0, 1, 40, 400, long.length - 40]) {
    const tool = mcpTool({ name: "find" }, DONE, { redact: createRedactor([long]) });
    const query = `${"x".repeat(at % 50)}${long.repeat(20).slice(at)}`;
    const prepared = await tool.prepare(
      { query: query.slice(query.indexOf("k0-k1-")) },
      { signal },
    );
    const title = prepared.ok ? prepared.preview.title : long;
    expect(title).toMatch(/^demo: find query=(?:\[hidden\])+/);
    expect(title).not.toMatch(/k\d/);
  }
});

test("a refused argument is named without the half of a secret", async () => {
  const values = Array.from({ length: 40 }, (_, index) => `${"v".repeat(index)}${SECRET}`);
  const inputSchema = { type: "object", properties: { kind: { enum: values } } };
  const prepared = await mcpTool({ name: "find", inputSchema }, DONE).prepare(
    { kind: "no" },
    { signal },
  );
  expect(prepared.ok ? "" : prepared.message).toContain("expected one of");
  expect(prepared.ok ? SECRET : prepared.message).not.toContain(HALF);
});

test("progress and failures of calls hold no half of a secret where they are cut", async () => {
  for (let at = 0; at <= SECRET.length; at += 1) {
    const lines: string[] = [];
    const message = (bytes: number): string => `${"x".repeat(bytes - at)}${SECRET} and more`;
    const tool = mcpTool({ name: "find" }, (_args, { onProgress }) => {
      onProgress?.({ progress: 1, message: message(300) });
      const refused = { ok: false, kind: "refused", mayHaveRun: false } as const;
      return Promise.resolve({ ...refused, message: message(4096) });
    });
    const { output } = await runTool(tool, {}, { onOutput: (text) => void lines.push(text) });
    const shown = JSON.stringify([lines, output]);
    expect(lines.join("")).toContain("xxx");
    expect(shown).not.toContain(HALF);
  }
});

test("a secret that is split between texts of a result is hidden, and every block stays where it is", async () => {
  const picture = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
  const resource = { uri: "file:///a", text: `${SECRET.slice(9)} end` };
  const { output } = await outcome([
    { type: "text", text: `begin ${HALF}` },
    picture,
    { type: "text", text: SECRET.slice(5, 9) },
    { type: "resource", resource },
  ]);
  expect(output).toEqual([
    { type: "text", text: "begin " },
    { type: "image", mime_type: "image/png", data: "iVBORw0KGgo=" },
    { type: "text", text: "" },
    { type: "resource", uri: "file:///a", text: "[hidden] end" },
  ]);
});

test("texts that only end like the beginning of a secret stay as they are", async () => {
  const texts = [`a ${HALF}`, `b ${SECRET.slice(0, 3)}`, "c"];
  const { output } = await outcome(texts.map((text) => ({ type: "text", text })));
  expect(output).toEqual(texts.map((text) => ({ type: "text", text })));
});

test("names of blocks hold no half of a secret where they are cut", async () => {
  for (const at of [0, 3, 9, SECRET.length]) {
    const cut = (bytes: number): string => `${"x".repeat(bytes - at)}${SECRET}`;
    const uri = cut(2048);
    const made = await outcome([
      { type: "resource_link", uri, name: cut(200), title: cut(200), description: cut(1024) },
      { type: "resource", resource: { uri, mimeType: cut(100), text: "t" } },
      { type: cut(80) },
    ]);
    expect(JSON.stringify(made.output)).not.toContain(HALF);
  }
});

test("texts that come as bytes lose their secrets before they are kept in files; pictures stay", async () => {
  await using folder = await tempFolder();
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from(SECRET)]);
  const kinds = ["application/json", "text/csv", "application/octet-stream", "application/pdf"];
  const blob = Buffer.from(`{"key": "${SECRET}"}`).toString("base64");
  const made = await outcome(
    [
      ...kinds.map((mimeType) => ({ type: "resource", resource: { uri: "a:b", mimeType, blob } })),
      {
        type: "resource",
        resource: { uri: "a:b", mimeType: "model/x", blob: png.toString("base64") },
      },
    ],
    folder.join("."),
  );
  expect(JSON.stringify(made.output)).not.toContain(HALF);
  const files = await readdir(folder.join("."));
  const kept = await Promise.all(files.map((file) => readFile(join(folder.join("."), file))));
  expect(kept).toHaveLength(5);
  const texts = kept.filter((bytes) => !bytes.equals(png)).map(String);
  expect(texts).toEqual(kinds.map(() => '{"key": "[hidden]"}'));
});
