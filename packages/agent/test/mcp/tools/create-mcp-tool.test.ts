import { describe, expect, test } from "vitest";
import type { CallAnswer } from "../../../src/mcp/connection/mcp-connection.ts";
import type { McpToolOptions } from "../../../src/mcp/tools/create-mcp-tool.ts";
import { answer, mcpTool, runTool, SECRET } from "./support/tool-fixture.ts";

const LISTED = {
  name: "find.it",
  description: "Finds it.",
  inputSchema: {
    type: "object",
    properties: { query: { type: "string" }, options: { type: "object" } },
    required: ["query"],
  },
  annotations: { readOnlyHint: true },
};
const { signal } = new AbortController();
const DONE = answer({ content: [{ type: "text", text: "done" }] });

function identity(
  listed: Record<string, unknown> = {},
  more: Partial<McpToolOptions> = {},
): string {
  const { origin } = mcpTool({ ...LISTED, ...listed }, DONE, more);
  return origin.type === "mcp" ? origin.identity : "";
}

test("is the server's tool under its raw name, its description marked as the server's", () => {
  const tool = mcpTool(LISTED, DONE);
  expect(tool).toMatchObject({
    name: "find.it",
    description: '[Text of the MCP server "demo"] Finds it.',
    kind: "other",
    risk: "network",
    origin: { type: "mcp", server: "demo", trustedReadOnly: false },
  });
  const long = mcpTool({ ...LISTED, description: "d".repeat(5000) }, DONE).description;
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(2048);
});

test("what the server says of results goes with it, without secrets, and only when it is bounded", () => {
  expect(mcpTool(LISTED, DONE)).not.toHaveProperty("outputSchema");
  const says = (outputSchema: unknown): unknown =>
    mcpTool({ ...LISTED, outputSchema }, DONE).outputSchema;
  const total = { type: "number", description: "The total." };
  expect(says({ type: "object", properties: { total } })).toEqual({
    type: "object",
    properties: { total },
  });
  expect(JSON.stringify(says({ type: "object", description: `key ${SECRET}` }))).not.toContain(
    SECRET,
  );
  expect(JSON.stringify(says({ description: "a\u202eb\u001b[2J" }))).toMatch(/^[ -~]+$/);
  expect(says({ description: "a\u202eb" })).not.toEqual({ description: "a\u202eb" });
  let deep: object = {};
  for (let depth = 0; depth < 20_000; depth += 1) deep = { properties: { a: deep } };
  for (const none of [null, "text", [], deep, { enum: ["x".repeat(200_000)] }]) {
    expect(says(none)).toBeUndefined();
  }
});

test("a hint that it only reads counts when the definition believes it", () => {
  const believed = mcpTool(LISTED, DONE, { trustReadOnlyHint: true });
  expect(believed).toMatchObject({ kind: "read", risk: "read", origin: { trustedReadOnly: true } });
  const silent = mcpTool({ ...LISTED, annotations: {} }, DONE, { trustReadOnlyHint: true });
  expect(silent).toMatchObject({ kind: "other", risk: "network" });
});

test("another definition, name, description, schema or hint makes another identity", () => {
  const same = identity();
  expect(same).toMatch(/^[0-9a-f]{64}$/);
  const { required, properties, type } = LISTED.inputSchema;
  expect(identity({ inputSchema: { required, properties, type } })).toBe(same);
  const others = [
    identity({}, { definitionFingerprint: "f2" }),
    identity({ name: "find_it" }),
    identity({ description: "Finds it!" }),
    identity({ description: `Finds it.${"x".repeat(9000)}` }),
    identity({ description: `Finds it.${"x".repeat(9001)}` }),
    identity({ inputSchema: { ...LISTED.inputSchema, required: [] } }),
    identity({ annotations: { readOnlyHint: false } }),
    identity({ outputSchema: { type: "object" } }),
  ];
  expect(new Set([same, ...others]).size).toBe(9);
});

test("a call shows server, tool and arguments in one short line, with nothing hidden and no secrets", async () => {
  const tool = mcpTool(LISTED, DONE);
  const prepared = await tool.prepare({ query: `a\nb\u202e ${SECRET}` }, { signal });
  expect(prepared.ok && prepared.preview).toEqual({
    title: "demo: find.it query=a\\u{a}b\\u{202e} [hidden]",
    risk: "network",
    subject: { type: "none" },
    locations: [],
    diff: [],
  });
  const long = await tool.prepare({ query: "q".repeat(10_000) }, { signal });
  expect(long.ok && long.preview.title).toMatch(/^demo: find\.it query=q+…$/);
  expect(long.ok && long.preview.title.length).toBe(120);
});

test("a secret is hidden in the line also where the line is cut", async () => {
  const query = `${"q".repeat(85)}${SECRET}`;
  const prepared = await mcpTool(LISTED, DONE).prepare({ query }, { signal });
  expect(prepared.ok && prepared.preview.title).not.toContain(SECRET.slice(0, 4));
});

test("bad arguments are refused with what was expected, and the server is not called", async () => {
  let calls = 0;
  const tool = mcpTool(LISTED, () => {
    calls += 1;
    return DONE();
  });
  const refused = await tool.prepare({ options: [] }, { signal });
  expect(refused.ok ? "" : refused.message).toBe(
    "The input of find.it is not usable: query: is missing; options: expected object. It takes {query, options?}.",
  );
  const text = await tool.prepare("find it", { signal });
  expect(text.ok ? "" : text.message).toContain("it has to be one JSON object");
  expect(calls).toBe(0);
});

test("the server gets what it asked for", async () => {
  let sent: unknown;
  const tool = mcpTool(LISTED, (args) => {
    sent = args;
    return DONE();
  });
  await runTool(tool, { query: '{"not": "parsed"}', options: '{"deep": true}' });
  expect(sent).toEqual({ query: '{"not": "parsed"}', options: { deep: true } });
});

const MAY_HAVE_RUN = "It may have run all the same: look before you repeat it.";

describe.each([true, false])("a call that may have run: %s", (mayHaveRun) => {
  test.each<[Extract<CallAnswer, { ok: false }>["kind"], readonly string[]]>([
    ["timeout", ["no answer in time", "No answer within 60000 ms.", '"timeoutMs"']],
    ["closed", ["connection ended while"]],
    ["session_lost", ["no longer knows the session"]],
    ["too_large", ["too large", "Ask for less"]],
    ["not_sent", ["was not called"]],
    ["refused", ["got no result"]],
  ])("and ends as %s is failed and says so once", async (kind, words) => {
    const message = `No answer within 60000 ms. ${SECRET}\u202e`;
    const answer = { ok: false, kind, mayHaveRun, message } as const;
    const tool = mcpTool(LISTED, () => Promise.resolve(answer));
    const { status, output } = await runTool(tool, { query: "x" });
    expect(status).toBe("failed");
    const [block] = output;
    const text = block?.type === "text" ? block.text : "";
    for (const word of [...words, "find.it of the MCP server demo"]) expect(text).toContain(word);
    expect(text.split(MAY_HAVE_RUN)).toHaveLength(mayHaveRun ? 2 : 1);
    expect(text.match(/may have run/g) ?? []).toHaveLength(mayHaveRun ? 1 : 0);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain("\u202e");
  });
});

test("an abort is the call's error", async () => {
  const controller = new AbortController();
  const tool = mcpTool(LISTED, (_args, options) => {
    controller.abort(new Error("stopped"));
    return Promise.reject(options.signal.reason as Error);
  });
  const running = runTool(tool, { query: "x" }, { signal: controller.signal });
  await expect(running).rejects.toThrow("stopped");
});

test("progress is shown in lines, the newest one last, and a flood of it is thinned out", async () => {
  const lines: string[] = [];
  const tool = mcpTool(LISTED, (_args, { onProgress }) => {
    for (let step = 1; step <= 5000; step += 1) {
      onProgress?.({ progress: step, total: 5000, message: `step\u202e\n${"x".repeat(900)}` });
    }
    onProgress?.({ progress: 5000 });
    return DONE();
  });
  await runTool(tool, { query: "x" }, { onOutput: (text) => lines.push(text) });
  expect(lines.length).toBeLessThan(200);
  expect(lines[0]).toMatch(/^step x+… \(1\/5000\)\n$/);
  expect(lines.at(-1)).toBe("progress 5000\n");
  expect(lines.every((line) => line.length < 400)).toBe(true);
});
