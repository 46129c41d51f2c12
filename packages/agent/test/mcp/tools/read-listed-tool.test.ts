import { expect, test } from "vitest";
import { cleanServerText } from "../../../src/mcp/tools/clean-server-text.ts";
import { type McpToolFacts, readListedTool } from "../../../src/mcp/tools/read-listed-tool.ts";

function facts(listed: Record<string, unknown>): McpToolFacts {
  const read = readListedTool({ name: "t", inputSchema: { type: "object" }, ...listed });
  if (!read.ok) throw new Error(read.reason);
  return read.facts;
}

test("reads what a tool says", () => {
  const inputSchema = { type: "object", properties: { a: {} } };
  expect(
    facts({
      title: "Title",
      description: "Does it.",
      inputSchema,
      annotations: { readOnlyHint: true, destructiveHint: "yes", openWorldHint: null },
    }),
  ).toMatchObject({
    name: "t",
    title: "Title",
    description: "Does it.",
    inputSchema,
    hints: { readOnlyHint: true },
  });
});

test("nulls are no faults, and a missing schema takes no arguments", () => {
  const read = facts({ title: null, description: null, annotations: null, inputSchema: undefined });
  expect(read).toMatchObject({
    description: "t",
    inputSchema: { type: "object", properties: {} },
    hints: {},
  });
  expect(read).not.toHaveProperty("title");
});

test("a title stands in for a missing description", () => {
  expect(facts({ title: "Short", description: " " }).description).toBe("Short");
  expect(facts({ annotations: { title: "Old" } }).description).toBe("Old");
});

test.each<[Record<string, unknown>, string, string]>([
  [{ name: undefined }, "(unnamed)", "It has no name."],
  [{ name: "" }, "(unnamed)", "It has no name."],
  [{ name: 5 }, "(unnamed)", "It has no name."],
  [{ inputSchema: null }, "t", "Its inputSchema is no JSON object."],
  [{ inputSchema: [] }, "t", "Its inputSchema is no JSON object."],
  [{ inputSchema: "object" }, "t", "Its inputSchema is no JSON object."],
])("%j is left out", (listed, tool, reason) => {
  expect(readListedTool({ name: "t", inputSchema: { type: "object" }, ...listed })).toEqual({
    ok: false,
    tool,
    reason,
  });
});

test("a name that is too long is left out, and not shown whole", () => {
  expect(facts({ name: "n".repeat(1024) }).name).toHaveLength(1024);
  const read = readListedTool({ name: "n".repeat(1025), inputSchema: { type: "object" } });
  expect(read.ok ? "" : read.reason).toContain("1025 characters; at most 1024");
  expect(read.ok ? "" : read.tool.length).toBeLessThan(100);
});

test("a description is at most 2 kB, without hidden characters, and its digest sees what is cut", () => {
  const long = (end: string) =>
    facts({ description: `\u202eä\u0007\u200b${"é".repeat(3000)}${end}` });
  const { description } = long("a");
  expect(description).toMatch(/^äé+…$/);
  expect(Buffer.byteLength(description)).toBeLessThanOrEqual(2048);
  expect(long("a").textDigest).not.toBe(long("b").textDigest);
  expect(long("b").description).toBe(description);
});

test("cleaned text keeps lines and letters, and never ends within a character", () => {
  expect(cleanServerText("a\r\nb\tc\u0000\ud800 日本 🔥\ufeff", 100)).toBe("a\nb\tc 日本 🔥");
  for (let bytes = 3; bytes < 20; bytes += 1) {
    const cut = cleanServerText("🔥é".repeat(100), bytes);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytes);
    expect(cut).toMatch(/^(?:🔥é)*🔥?…$/u);
  }
});
