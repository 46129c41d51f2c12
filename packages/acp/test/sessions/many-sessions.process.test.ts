import { createScriptedModel } from "@acumen/models/testing";
import { expect, test } from "vitest";
import { hostBench } from "../support/host-bench.ts";

test("a hundred sessions and twenty turns at the same time know nothing of each other", async () => {
  let made = 0;
  await using bench = await hostBench({
    steps: [],
    agent: {
      resolveModel: () => {
        made += 1;
        const own = `model-${made}`;
        return Promise.resolve(
          createScriptedModel({
            steps: [
              {
                text: `I am ${own}. `,
                toolCalls: [{ id: "c1", tool: "bash", input: { command: `echo out-of-${own}` } }],
              },
              { text: `${own} is done.`, expect: { toolResultIncludes: `out-of-${own}` } },
            ],
          }),
        );
      },
    },
  });
  const { host, cwd, agent, notifications } = bench;
  const ids: string[] = [];
  for (let count = 0; count < 100; count += 1) {
    const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
    ids.push(sessionId);
  }
  expect(agent.sessions).toHaveLength(100);
  const prompt = [{ type: "text" as const, text: "Who are you?" }];
  const answers = await Promise.all(
    ids.slice(0, 20).map((sessionId) => host.request("session/prompt", { sessionId, prompt })),
  );
  expect(answers).toEqual(answers.map(() => ({ stopReason: "end_turn" })));
  for (const [index, id] of ids.slice(0, 20).entries()) {
    const own = notifications.filter(({ sessionId }) => sessionId === id);
    const said = JSON.stringify(own);
    const others = [...said.matchAll(/model-(\d+)/gu)].map(([, number]) => Number(number));
    expect(new Set(others)).toEqual(new Set([index + 1]));
    const text = own.flatMap(({ update }) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
        ? [update.content.text]
        : [],
    );
    expect(text.join("")).toBe(`I am model-${index + 1}. model-${index + 1} is done.`);
  }
  expect(notifications.filter(({ sessionId }) => ids.indexOf(sessionId) >= 20)).toHaveLength(80);
  expect(bench.faults).toEqual([]);
});
