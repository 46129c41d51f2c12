import { expect, test, vi } from "vitest";
import type { ResolvedMcpServer } from "../../src/mcp/config/resolved-config.ts";
import { type OfferedTools, readOfferedTools } from "../../src/mcp/offered-tools.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";

const SERVER: ResolvedMcpServer = {
  name: "notes",
  source: "machine",
  transport: "stdio",
  enabled: true,
  missing: false,
  fingerprint: "f",
  secrets: [],
  definition: {
    transport: "stdio",
    command: "notes",
    args: [],
    env: {},
    timeoutMs: 1,
    startupTimeoutMs: 1,
    onConflict: "reject",
    trustReadOnlyHint: false,
  },
};

function read(
  names: readonly string[],
  more: { readonly before?: OfferedTools; readonly now?: () => number } = {},
): OfferedTools {
  const listed = names.map((name) => ({ name, inputSchema: { type: "object" } }));
  return readOfferedTools(SERVER, listed, {
    call: () => Promise.reject(new Error("nothing is called here")),
    outputFolder: () => Promise.reject(new Error("nothing is stored here")),
    redact: createRedactor(),
    ...more,
  });
}

test("a tool that a new list has unchanged is the same one; another one is read anew", () => {
  const before = read(["a", "b"]);
  const after = read(["b", "c"], { before });
  expect(after.get("b")).toBe(before.get("b"));
  expect(after.get("c")?.tool.name).toBe("c");
  expect(after.get("a")).toBeUndefined();
});

test("schemas that take too long together cost the tools behind them, each with the reason", () => {
  const now = vi.fn<() => number>().mockReturnValueOnce(0).mockReturnValueOnce(1_999);
  now.mockReturnValue(2_001);
  const { names, quarantined } = read(["a", "b", "c"], { now });
  expect(names).toEqual(["a"]);
  expect(quarantined.map(({ tool }) => tool)).toEqual(["b", "c"]);
  expect(quarantined[0]?.reason).toContain('"enabledTools"');
});
