import fc from "fast-check";
import { expect, test } from "vitest";
import { parseMcpFile } from "../../../src/mcp/config/mcp-file.ts";
import { parseChoice } from "../../../src/mcp/config/workspace-choice.ts";

const file = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', ":", ",", "/", "*", "a", "\n") }),
  fc.json(),
  fc.jsonValue().map((value) => JSON.stringify({ mcpServers: value, enabledMcpServers: value })),
);

test("any text gives servers and names, or a fault in one line", () => {
  fc.assert(
    fc.property(file, (text) => {
      for (const { fault, ...rest } of [parseMcpFile("f", text), parseChoice("f", text)]) {
        if (fault === undefined) continue;
        expect(fault.message).toMatch(/^f:\d+:\d+: [^\n\r]+\.$/u);
        expect(Object.values(rest)).toEqual([[]]);
      }
    }),
    { numRuns: 500 },
  );
});

test.each([100, 200, 300, 1_000, 3_000, 5_000, 5_500, 6_000, 10_000, 100_000])(
  "%d levels are read or refused",
  (depth) => {
    const text = `{"mcpServers": {"a": ${'{"b":'.repeat(depth)}1${"}".repeat(depth)}}}`;
    const { servers, fault } = parseMcpFile("f", text);
    expect([servers.length, fault?.message]).toEqual(
      depth > 200 ? [0, "f:1:1: nests too deep."] : [1, undefined],
    );
  },
);

test("a key of any length makes no long message", () => {
  const key = "k".repeat(500_000);
  for (const text of [`{"${key}": 1, "${key}": 2}`, `{"${key}": {"command": "c"}}`]) {
    expect(parseMcpFile("f", text).fault?.message.length).toBeLessThan(400);
  }
});
