import { readdir, readFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import type { ListedTool } from "../../../src/mcp/connection/mcp-connection.ts";
import { claimNames } from "../../../src/mcp/tools/claim-names.ts";
import { convertSchema } from "../../../src/mcp/tools/convert-schema.ts";
import { readListedTool } from "../../../src/mcp/tools/read-listed-tool.ts";
import { answer, mcpTool, runTool } from "./support/tool-fixture.ts";

// Faults that users of other clients reported, each by its number in the list of reports that this client is held to.

const EXPOSABLE = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;
const OBJECT = { type: "object", properties: {} };

/** Raw name to exposed name of one server. */
function names(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const claims = [{ server, onConflict: "reject" as const, tools, laterTools: [] }];
  return claimNames(claims).get(server)?.exposed ?? new Map();
}

test("26: dotted names of a server do not reach a provider", () => {
  const exposed = names("ace", ["ace.ask", "ace.learn.feedback"]);
  expect([...exposed.values()]).toEqual(["mcp__ace__ace_ask", "mcp__ace__ace_learn_feedback"]);
});

test("29: what the model sees and what the server is called with come from one map", async () => {
  const listed = { name: "get.actor", inputSchema: OBJECT };
  const exposed = names("unreal-mcp", [listed.name]);
  expect(exposed.get(listed.name)).toBe("mcp__unreal-mcp__get_actor");
  const tool = mcpTool(listed, answer({ content: [] }), { server: "unreal-mcp" });
  expect(tool.name).toBe("get.actor");
  expect(tool.origin).toMatchObject({ server: "unreal-mcp" });
});

test("30: names that hold two underscores stay whole", () => {
  const raw = ["mcp__other__tool", "a__b", "__c", "d__"];
  expect([...names("my__server", raw)]).toEqual(raw.map((name) => [name, name]));
  expect([...names("my__server", ["a__b c"]).values()]).toEqual(["mcp__my__server__a__b_c"]);
});

test("31: no exposed name begins with a digit, with a hash or without", () => {
  const raw = ["1password", "9.9", "9 9", `0${"x".repeat(200)}`, "-", "🔥", "."];
  const exposed = [...names("7server", raw).values()];
  expect(exposed).toHaveLength(raw.length);
  for (const name of exposed) expect(name).toMatch(EXPOSABLE);
});

test("34: a schema that is no object takes one tool away, with the reason", () => {
  const listed: ListedTool[] = [
    { name: "good", inputSchema: OBJECT },
    { name: "array", inputSchema: { type: "array", items: {} } },
    { name: "none", inputSchema: null },
    { name: "also_good", inputSchema: OBJECT },
  ];
  const verdicts = listed.map((entry) => {
    const read = readListedTool(entry);
    if (!read.ok) return `${read.tool}: ${read.reason}`;
    const converted = convertSchema(read.facts.inputSchema);
    return `${read.facts.name}: ${converted.ok ? "ok" : converted.reason}`;
  });
  expect(verdicts).toEqual([
    "good: ok",
    'array: The root of its inputSchema is no "type": "object".',
    "none: Its inputSchema is no JSON object.",
    "also_good: ok",
  ]);
});

test("35: what makes services refuse a whole request is rewritten", () => {
  const converted = convertSchema({
    $schema: "http://json-schema.org/draft-04/schema#",
    type: "object",
    properties: {
      "$filter[0]": { type: "string" },
      limit: { type: "integer", minimum: 0, exclusiveMinimum: true },
      never: { enum: [] },
      self: { $ref: "#" },
    },
    required: ["limit", "ghost"],
  });
  const { schema } = converted.ok ? converted : { schema: {} };
  const text = JSON.stringify(schema);
  expect(text).not.toMatch(/\$|ghost|never|exclusiveMinimum":true/);
  expect(text).toContain('"_filter_0_":{"type":"string"}');
});

test("38: a list without items gets some, at every level", () => {
  const converted = convertSchema({
    type: "object",
    properties: {
      a: { type: "array" },
      b: { type: "object", properties: { c: { type: ["array", "null"] } } },
      d: { anyOf: [{ type: "array" }, { type: "array", items: { type: "array" } }] },
    },
  });
  expect(converted.ok && converted.schema["properties"]).toEqual({
    a: { type: "array", items: {} },
    b: { type: "object", properties: { c: { type: ["array", "null"], items: {} } } },
    d: {
      anyOf: [
        { type: "array", items: {} },
        { type: "array", items: { type: "array", items: {} } },
      ],
    },
  });
});

test("47: a huge result is cut whichever way it comes, and kept whole", async () => {
  const huge = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
  const joined = huge.join("\n");
  const results = [
    { content: [{ type: "text", text: joined }] },
    { content: [{ type: "text", text: joined }], isError: true },
    { content: [{ type: "resource", resource: { uri: "u", text: joined } }] },
    { content: huge.map((text) => ({ type: "text", text })) },
    { structuredContent: huge },
  ];
  for (const result of results) {
    await using folder = await tempFolder();
    const outputFolder = () => Promise.resolve(folder.path);
    const tool = mcpTool({ name: "t", inputSchema: OBJECT }, answer(result), { outputFolder });
    const { output, truncated } = await runTool(tool, {});
    expect(truncated).toBe(true);
    expect(JSON.stringify(output).length).toBeLessThan(70_000);
    const [file = ""] = await readdir(folder.path);
    expect(JSON.stringify(output)).toContain(file);
    expect(await readFile(folder.join(file), "utf8")).toContain("line 19999");
  }
});

test("49: neither text nor structure is lost beside the other", async () => {
  const text = { type: "text", text: "Summary: two open questions." };
  const structuredContent = { questions: ["Why?", "How?"] };
  const both = mcpTool(
    { name: "t", inputSchema: OBJECT },
    answer({ content: [text], structuredContent }),
  );
  expect((await runTool(both, {})).output).toEqual([
    text,
    { type: "structured", data: structuredContent },
  ]);
  const alone = mcpTool({ name: "t", inputSchema: OBJECT }, answer({ structuredContent }));
  expect((await runTool(alone, {})).output).toEqual([
    { type: "structured", data: structuredContent },
  ]);
  const copy = { type: "text", text: JSON.stringify(structuredContent) };
  const twice = mcpTool(
    { name: "t", inputSchema: OBJECT },
    answer({ content: [copy], structuredContent }),
  );
  expect((await runTool(twice, {})).output).toEqual([copy]);
});

test("50: an object that was written as a text reaches the server as an object", async () => {
  let sent: unknown;
  const inputSchema = {
    type: "object",
    properties: {
      filter: { $ref: "#/$defs/filter" },
      ids: { type: "array", items: { type: "integer" } },
      note: { type: "string" },
    },
    $defs: { filter: { type: "object", properties: { state: { type: "string" } } } },
  };
  const tool = mcpTool({ name: "t", inputSchema }, (args) => {
    sent = args;
    return answer({ content: [] })();
  });
  await runTool(tool, { filter: '{"state":"open"}', ids: "[1,2]", note: "[1,2]" });
  expect(sent).toEqual({ filter: { state: "open" }, ids: [1, 2], note: "[1,2]" });
});
