import { expect, test } from "vitest";
import type { ModelStreamPart } from "@acumen/models";
import {
  answers,
  payloadsOf,
  RecordingSink,
  streamModel,
  testAgent,
  toolOf,
} from "./test-agent.ts";

const SECRET = "correct-horse-battery";

function thought(id: string, text: string): ModelStreamPart[] {
  const providerMetadata = { test: { itemId: `rs_${id}` } };
  return [
    { type: "reasoning-start", id },
    { type: "reasoning-delta", id, delta: text },
    { type: "reasoning-end", id, providerMetadata },
  ];
}

function call(toolCallId: string): ModelStreamPart {
  return {
    type: "tool-call",
    toolCallId,
    toolName: "look",
    input: JSON.stringify({ at: toolCallId }),
    providerMetadata: { test: { itemId: `fc_${toolCallId}` } },
  };
}

function finish(unified: "stop" | "tool-calls"): ModelStreamPart {
  return {
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined },
    },
  };
}

function said(...deltas: readonly string[]): ModelStreamPart[] {
  return [
    { type: "text-start", id: "t" },
    ...deltas.map((delta) => ({ type: "text-delta" as const, id: "t", delta })),
    { type: "text-end", id: "t" },
  ];
}

test("thoughts between calls come back before the call that they belong to", async () => {
  const asked: unknown[] = [];
  const model = streamModel(asked, [
    [
      ...thought("1", "First."),
      call("a"),
      ...thought("2", "Then."),
      call("b"),
      finish("tool-calls"),
    ],
    [...said("Done."), finish("stop")],
  ]);
  await using host = await testAgent({ model, tools: [toolOf("look", answers("red"))] });
  await host.prompt("go");
  const [, second] = asked as {
    role: string;
    content: { type: string; toolCallId?: string }[];
  }[][];
  const assistant = second?.find(({ role }) => role === "assistant");
  expect(assistant?.content.map(({ type, toolCallId }) => toolCallId ?? type)).toEqual([
    "reasoning",
    "a",
    "reasoning",
    "b",
  ]);
});

test("a secret that is split between deltas is shown to nobody, live, in the log or in the result", async () => {
  const model = streamModel(
    [],
    [[...said("It is correct-ho", "rse-bat", "tery."), finish("stop")]],
  );
  await using host = await testAgent({ model, agent: { secrets: [SECRET] } });
  const sink = new RecordingSink();
  const { text } = await host.prompt("What is it?", { sink });
  expect(text).toBe("It is [hidden].");
  const live = sink.updates.flatMap((update) => (update.type === "delta" ? [update.text] : []));
  expect(live.join("")).toBe("It is [hidden].");
  expect(payloadsOf(sink.events, "ASSISTANT_MESSAGE").map((each) => each.text)).toEqual([text]);
});
