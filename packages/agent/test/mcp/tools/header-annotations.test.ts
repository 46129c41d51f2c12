import { describe, expect, test } from "vitest";
import { headerFault } from "../../../src/mcp/tools/header-annotations.ts";
import { readListedTool } from "../../../src/mcp/tools/read-listed-tool.ts";

const schema = (properties: object): object => ({ type: "object", properties });
const region = (header: unknown, type: unknown = "string"): object =>
  schema({ region: { type, "x-mcp-header": header } });

describe("a tool that wants its arguments in headers", () => {
  test.each([
    [region("Region")],
    [region("Retry_Count", "integer")],
    [region("X.Y-z", "boolean")],
    [schema({ a: { type: "string", "x-mcp-header": "A" }, b: { type: "number" } })],
    [schema({ a: region("A"), "x-mcp-header": { type: "string" } })],
    [{}],
    [null],
  ])("can be called: %j", (given) => {
    expect(headerFault(given)).toBe(undefined);
  });

  test.each([
    [region(""), "no header name"],
    [region(7), "no header name"],
    [region("two words"), "no header name"],
    [region("a:b"), "no header name"],
    [region("Größe"), "no header name"],
    [region("a\nb"), "no header name"],
    [region("Region", "number"), "no string, integer or boolean"],
    [region("Region", "object"), "no string, integer or boolean"],
    [region("Region", ["string", "null"]), "no string, integer or boolean"],
    [
      schema({
        a: { type: "string", "x-mcp-header": "A" },
        b: { type: "string", "x-mcp-header": "a" },
      }),
      "twice",
    ],
    [schema({ a: region("A"), b: { type: "string", "x-mcp-header": "A" } }), "twice"],
    [{ ...schema({}), "x-mcp-header": "Root" }, "no argument of its own"],
    [schema({ a: { type: "array", items: region("A") } }), "no argument of its own"],
    [schema({ a: { anyOf: [{ type: "string", "x-mcp-header": "A" }] } }), "no argument of its own"],
    [{ ...schema({}), $defs: { a: region("A") } }, "no argument of its own"],
  ])("is left out: %j", (given, reason) => {
    expect(headerFault(given)).toContain(reason);
    const read = readListedTool({ name: "tool", inputSchema: given });
    expect(read).toMatchObject({ ok: false, tool: "tool", reason: headerFault(given) });
  });
});
