import { describe, expect, test } from "vitest";
import { bashCall, CWD, fileCall, gateWith, mcpCall, ScriptedGateway } from "./support.ts";

describe("modes", () => {
  const read = fileCall("read_file", "read", `${CWD}/a.ts`);
  const write = fileCall("edit", "write", `${CWD}/a.ts`);
  const command = bashCall("npm test");
  const tool = mcpCall("search");
  const trusted = mcpCall("search", { trustedReadOnly: true });

  test.each([
    ["auto", read, false],
    ["auto", write, false],
    ["auto", command, false],
    ["auto", tool, false],
    ["safe", read, false],
    ["safe", write, true],
    ["safe", command, true],
    ["safe", tool, true],
    ["safe", trusted, false],
    ["manual", read, true],
    ["manual", write, true],
    ["manual", command, true],
    ["manual", trusted, true],
  ] as const)("%s: %o asks: %s", async (mode, call, asks) => {
    const gateway = new ScriptedGateway("allow_once");
    const { decide, announced } = gateWith({ gateway });
    const decision = await decide(call, mode);
    expect(decision.decision).toBe("allow_once");
    expect(decision.by).toBe(asks ? "user" : "mode");
    expect(gateway.requests).toHaveLength(asks ? 1 : 0);
    expect(announced).toHaveLength(asks ? 1 : 0);
  });
});
