import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/index.ts";
import type { StepPart } from "../../src/turn/model-step.ts";
import { replayable } from "../../src/turn/replayable.ts";

const SECRET = "correct-horse-battery";
const redact = createRedactor([SECRET]);

function answer(thought: string, input = "{}"): StepPart[] {
  const metadata = { anthropic: { signature: "c2lnbmVk" } };
  return [
    { type: "message", messageId: "m", kind: "reasoning", text: thought, metadata },
    { type: "call", callId: "c", exposedName: "bash", input, metadata },
  ];
}

describe("what a service gets back of an answer", () => {
  test("an answer without secrets keeps its signatures", () => {
    const parts = answer("I look around.");
    expect(replayable(parts, redact)).toEqual(parts);
  });

  test.each([
    ["a thought", answer(`The key is ${SECRET}.`)],
    ["a call", answer("I look around.", JSON.stringify({ command: `echo ${SECRET}` }))],
  ])("a secret in %s takes the signatures of the whole answer away", (_where, parts) => {
    const kept = replayable(parts, redact);
    expect(kept).toHaveLength(2);
    expect(JSON.stringify(kept)).not.toContain("signature");
  });
});
