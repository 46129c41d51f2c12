import { expect, test } from "vitest";
import { RecordingSink, answers, payloadsOf, testAgent, toolOf, typesOf } from "./test-agent.ts";

test("a turn calls a tool, answers, and tells everything in order", async () => {
  await using host = await testAgent({
    steps: [
      { text: "I look.", toolCalls: [{ tool: "look", input: { at: "x" } }] },
      { text: "It is red.", expect: { toolResultIncludes: "red" } },
    ],
    tools: [toolOf("look", answers("red"))],
  });
  const sink = new RecordingSink();
  const result = await host.prompt("Which colour?", { sink });
  expect(result).toMatchObject({ stopReason: "end_turn", text: "It is red." });
  expect(typesOf(sink.events)).toEqual([
    "USER_MESSAGE",
    "TITLE_CHANGED",
    "SKILLS_APPLIED",
    "ASSISTANT_MESSAGE",
    "USAGE",
    "TOOL_CALL",
    "APPROVAL_DECIDED",
    "TOOL_RESULT",
    "ASSISTANT_MESSAGE",
    "USAGE",
  ]);
  expect(payloadsOf(sink.events, "TOOL_RESULT")).toMatchObject([
    { status: "completed", output: [{ type: "text", text: "red" }] },
  ]);
});
