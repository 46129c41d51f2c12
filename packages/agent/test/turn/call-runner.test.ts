import { FakeClock } from "@acumen/testkit";
import { expect, test } from "vitest";
import { textBlock } from "../../src/content/content-block.ts";
import { payloadsOf, testAgent, toolOf } from "./test-agent.ts";

test("the duration of a call is that of its run, without the time in which somebody was asked", async () => {
  const clock = new FakeClock();
  const change = toolOf(
    "change",
    () => {
      clock.advance(40);
      return { status: "completed", output: [textBlock("changed")] };
    },
    { risk: "write", kind: "edit" },
  );
  const answers = ["allow_once", "reject_once"] as const;
  let asked = 0;
  await using host = await testAgent({
    steps: [
      {
        toolCalls: [
          { tool: "change", input: { number: 1 } },
          { tool: "change", input: { number: 2 } },
          { tool: "no_such_tool", input: {} },
        ],
      },
      { text: "done" },
    ],
    tools: [change],
    agent: { clock },
    session: {
      mode: "safe",
      approvals: {
        request: () => {
          clock.advance(60_000);
          asked += 1;
          return Promise.resolve(answers[asked - 1] ?? "cancelled");
        },
      },
    },
  });
  await host.prompt("go");
  const results = payloadsOf(host.session.events, "TOOL_RESULT");
  expect(results.map(({ status, duration_ms: duration }) => [status, duration])).toEqual([
    ["completed", 40],
    ["rejected", 0],
    ["failed", 0],
  ]);
});
