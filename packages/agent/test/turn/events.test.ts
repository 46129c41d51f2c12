import { expect, test } from "vitest";
import type { Model, ModelStreamPart } from "@acumen/models";
import { textBlock, textOf } from "../../src/content/content-block.ts";
import {
  answers,
  payloadsOf,
  RecordingSink,
  streamModel,
  testAgent,
  toolOf,
  typesOf,
} from "./test-agent.ts";

const usage: Extract<ModelStreamPart, { type: "finish" }>["usage"] = {
  inputTokens: { total: 1_000, noCache: 600, cacheRead: 400, cacheWrite: undefined },
  outputTokens: { total: 50, text: 50, reasoning: undefined },
};
const stop: ModelStreamPart = {
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage,
};
const calls: ModelStreamPart = {
  type: "finish",
  finishReason: { unified: "tool-calls", raw: "tool_calls" },
  usage,
};

test("a turn calls a tool, answers, and tells everything in order", async () => {
  await using host = await testAgent({
    steps: [
      { text: "I look.", toolCalls: [{ id: "c1", tool: "look", input: { at: "x" } }] },
      { text: "It is red.", expect: { toolResultIncludes: "red" } },
    ],
    tools: [toolOf("look", answers("red"))],
  });
  const sink = new RecordingSink();
  const result = await host.prompt("Which colour?", { sink, source: "cli" });
  expect(result).toMatchObject({ stopReason: "end_turn", text: "It is red." });
  expect(result.usage.inputTokens).toBeGreaterThan(0);
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
  expect(sink.events.map(({ step }) => step)).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 2, 2]);
  expect(new Set(sink.events.map(({ turn_id: id }) => id))).toEqual(new Set([result.turnId]));
  expect(host.session.events.map(({ seq }) => seq)).toEqual(
    host.session.events.map((_event, index) => index + 1),
  );
  expect(payloadsOf(sink.events, "USER_MESSAGE")).toEqual([
    { content: [{ type: "text", text: "Which colour?" }], source: "cli" },
  ]);
  expect(payloadsOf(sink.events, "TOOL_CALL")).toEqual([
    {
      call_id: "c1",
      tool: "look",
      exposed_name: "look",
      kind: "read",
      title: 'look {"at":"x"}',
      input: { at: "x" },
      locations: [],
      diff: [],
      made_by: { provider: "scripted", model: "inline" },
    },
  ]);
  expect(payloadsOf(sink.events, "TOOL_RESULT")).toEqual([
    {
      call_id: "c1",
      status: "completed",
      output: [{ type: "text", text: "red" }],
      exit_code: null,
      duration_ms: expect.any(Number),
      truncated: false,
      diff: [],
    },
  ]);
  expect(payloadsOf(sink.events, "APPROVAL_DECIDED")).toEqual([
    { call_id: "c1", decision: "allow_once", by: "mode", detail: "auto" },
  ]);
  expect(payloadsOf(sink.events, "SKILLS_APPLIED")).toEqual([
    { skill_ids: [], reason: expect.stringContaining("no skills") },
  ]);
});

test("deltas carry the id of the message that is logged, and are themselves not logged", async () => {
  await using host = await testAgent({
    steps: [{ reasoning: "thinking about it", text: "a long answer in pieces", chunkSize: 4 }],
  });
  const sink = new RecordingSink();
  await host.prompt("go", { sink });
  const messages = payloadsOf(sink.events, "ASSISTANT_MESSAGE");
  expect(messages.map(({ kind, text }) => [kind, text])).toEqual([
    ["reasoning", "thinking about it"],
    ["assistant", "a long answer in pieces"],
  ]);
  for (const { message_id: id, kind, text } of messages) {
    const deltas = sink.updates.flatMap((update) =>
      update.type === "delta" && update.message_id === id ? [update] : [],
    );
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.map((delta) => delta.text).join("")).toBe(text);
    expect(new Set(deltas.map((delta) => delta.kind))).toEqual(new Set([kind]));
  }
});

test("metadata of the provider is kept with each part and goes back to the same model", async () => {
  const asked: unknown[] = [];
  const model = streamModel(asked, [
    [
      { type: "reasoning-start", id: "0", providerMetadata: { anthropic: { first: true } } },
      { type: "reasoning-delta", id: "0", delta: "hm" },
      {
        type: "reasoning-delta",
        id: "0",
        delta: "",
        providerMetadata: { anthropic: { signature: "SIG" } },
      },
      { type: "reasoning-end", id: "0" },
      { type: "reasoning-start", id: "1" },
      { type: "reasoning-end", id: "1", providerMetadata: { openai: { encrypted: "E" } } },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "text", providerMetadata: { google: { sign: "T" } } },
      { type: "text-end", id: "0" },
      {
        type: "tool-call",
        toolCallId: "c1",
        toolName: "look",
        input: "{}",
        providerMetadata: { google: { thoughtSignature: "C" } },
      },
      calls,
    ],
    [stop],
  ]);
  await using host = await testAgent({ model, tools: [toolOf("look", answers("red"))] });
  await host.prompt("go");
  const said = payloadsOf(host.session.events, "ASSISTANT_MESSAGE");
  expect(said.map(({ kind, text, provider_metadata: metadata }) => [kind, text, metadata])).toEqual(
    [
      ["reasoning", "hm", { anthropic: { signature: "SIG" } }],
      ["reasoning", "", { openai: { encrypted: "E" } }],
      ["assistant", "text", { google: { sign: "T" } }],
    ],
  );
  expect(said[0]?.made_by).toEqual({ provider: "test", model: "one" });
  expect(payloadsOf(host.session.events, "TOOL_CALL")[0]?.provider_metadata).toEqual({
    google: { thoughtSignature: "C" },
  });
  const sent = JSON.stringify(asked.at(-1));
  for (const part of ["SIG", '"encrypted":"E"', '"sign":"T"', '"thoughtSignature":"C"']) {
    expect(sent).toContain(part);
  }
});

test("USAGE has what the service counted, and the price where it is known", async () => {
  const capabilities: Model["capabilities"] = {
    snapshotDate: "2026-01-01",
    contextWindow: 200_000,
    inputPrice: 3,
    outputPrice: 15,
  };
  await using host = await testAgent({ model: streamModel([], [[stop]], { capabilities }) });
  const { usage: total } = await host.prompt("go");
  expect(total).toMatchObject({ inputTokens: 1_000, outputTokens: 50, cachedInputTokens: 400 });
  const expected = {
    input_tokens: 1_000,
    cached_input_tokens: 400,
    output_tokens: 50,
    context_tokens: 1_050,
    context_window: 200_000,
    cost: (1_000 * 3 + 50 * 15) / 1_000_000,
  };
  expect(payloadsOf(host.session.events, "USAGE")).toEqual([expected]);
  expect(host.session.status()).toMatchObject({
    contextTokens: 1_050,
    contextWindow: 200_000,
    inputTokens: 1_000,
    outputTokens: 50,
    cost: expected.cost,
  });
});

test("an unknown price is no price of zero", async () => {
  await using host = await testAgent({ steps: [{ text: "hi" }] });
  await host.prompt("go");
  expect(payloadsOf(host.session.events, "USAGE")[0]).not.toHaveProperty("cost");
  expect(host.session.status()).not.toHaveProperty("cost");
});

test("the plan of update_plan becomes PLAN_UPDATED and the session's plan", async () => {
  const entries = [
    { content: "read", status: "completed" },
    { content: "write", status: "pending", priority: "high" },
  ];
  await using host = await testAgent({
    steps: [{ toolCalls: [{ tool: "update_plan", input: { entries } }] }, { text: "done" }],
  });
  await host.prompt("go");
  expect(payloadsOf(host.session.events, "PLAN_UPDATED")).toEqual([{ entries }]);
  expect(host.session.plan).toEqual(entries);
});

test("the title is the first line with words, cleaned and cut, and is set once", async () => {
  await using host = await testAgent({ steps: [{ text: "a" }], contextWindow: 100_000 });
  await host.prompt(`\n  \u001b[31mFix\u202e   the\ttests ${"x".repeat(100)}\nsecond line`);
  const [{ title } = { title: "" }] = payloadsOf(host.session.events, "TITLE_CHANGED");
  expect(title).toMatch(/^\[31mFix the tests x+…$/);
  expect(Array.from(title)).toHaveLength(80);
  expect(host.session.meta.title).toBe(title);
});

test("broken JSON of a call is answered with what was expected, and nothing runs", async () => {
  let ran = 0;
  const model = streamModel(
    [],
    [
      [
        { type: "tool-call", toolCallId: "c1", toolName: "update_plan", input: '{"entries": [' },
        { type: "tool-call", toolCallId: "c2", toolName: "look", input: "{bad" },
        calls,
      ],
      [stop],
    ],
  );
  const look = toolOf("look", () => {
    ran += 1;
    return answers("red")();
  });
  await using host = await testAgent({ model, tools: [look] });
  await host.prompt("go");
  const results = payloadsOf(host.session.events, "TOOL_RESULT");
  expect(results.map(({ status }) => status)).toEqual(["failed", "failed"]);
  expect(JSON.stringify(results[0]?.output)).toMatch(/no JSON.*It takes \{entries\}/);
  expect(payloadsOf(host.session.events, "TOOL_CALL")[0]?.input).toBe('{"entries": [');
  expect(ran).toBe(0);
});

test("a call of a tool that does not exist names the nearest, and the model may mend it", async () => {
  await using host = await testAgent({
    steps: [
      { toolCalls: [{ tool: "lok", input: {} }] },
      { toolCalls: [{ tool: "look", input: {} }], expect: { toolResultIncludes: "mean look?" } },
      { text: "done" },
    ],
    tools: [toolOf("look", answers("red"))],
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn" });
  expect(payloadsOf(host.session.events, "TOOL_CALL")[0]).toMatchObject({
    tool: "lok",
    exposed_name: "lok",
    kind: "other",
  });
  expect(payloadsOf(host.session.events, "BLOCKED")).toEqual([]);
});

test("a tool that throws is an ERROR of the tool and a failed result, and the turn goes on", async () => {
  const broken = toolOf("look", () => {
    throw new Error("out of order");
  });
  await using host = await testAgent({
    steps: [{ toolCalls: [{ tool: "look", input: {} }] }, { text: "pity" }],
    tools: [broken],
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "pity" });
  expect(payloadsOf(host.session.events, "ERROR")).toEqual([
    {
      code: "AGENT_TOOL_FAILED",
      message: "out of order",
      retryable: false,
      source: "tool",
      attempt: 1,
    },
  ]);
  expect(payloadsOf(host.session.events, "TOOL_RESULT")[0]?.status).toBe("failed");
});

test("calls of one id get ids of their own, in one answer and in later ones, and each its own result", async () => {
  const secret = "sk-verysecretvalue-000111";
  const asked: unknown[] = [];
  const call = (toolCallId: string, input: string): ModelStreamPart => ({
    type: "tool-call",
    toolCallId,
    toolName: "look",
    input,
  });
  const model = streamModel(asked, [
    [call("c1", "1"), call("c1", "2"), call("", "3"), calls],
    [call("c1", "4"), call(secret, "5"), call(`${secret} `.trim(), "6"), calls],
    [stop],
  ]);
  // The second one ends first.
  const look = toolOf("look", async (input) => {
    await new Promise((resolve) => setTimeout(resolve, input === 1 ? 20 : 0));
    return answers(`result of ${JSON.stringify(input)}`)();
  });
  await using host = await testAgent({ model, tools: [look], agent: { secrets: [secret] } });
  const sink = new RecordingSink();
  await host.prompt("go", { sink });
  const { events } = host.session;
  const inputs = new Map(
    payloadsOf(events, "TOOL_CALL").map(({ call_id: id, input }) => [id, input]),
  );
  expect(inputs.size).toBe(6);
  expect(inputs.get("c1")).toBe(1);
  const results = payloadsOf(events, "TOOL_RESULT").map(({ call_id: id, output }) => [
    textOf(output),
    `result of ${JSON.stringify(inputs.get(id))}`,
  ]);
  expect(results).toHaveLength(6);
  for (const [result, expected] of results) expect(result).toBe(expected);
  const started = sink.updates.flatMap((update) =>
    update.type === "tool_started" ? [update.call_id] : [],
  );
  expect(started.toSorted()).toEqual([...inputs.keys()].toSorted());
  for (const id of inputs.keys()) expect(JSON.stringify(asked.at(-1))).toContain(`"${id}"`);
});

test("ids that the log has already are not used again after it was opened anew", async () => {
  const steps = [{ toolCalls: [{ id: "c1", tool: "look", input: {} }] }, { text: "done" }];
  const host = await testAgent({
    steps: [...steps, ...steps],
    tools: [toolOf("look", answers("red"))],
  });
  await using _host = host;
  await host.prompt("go");
  await host.session.close();
  const session = await host.agent.openSession(host.session.id);
  await host.agent.runtime.runPrompt(session, [textBlock("again")]);
  const ids = payloadsOf(session.events, "TOOL_CALL").map(({ call_id: id }) => id);
  expect(ids).toEqual(["c1", expect.stringMatching(/^c\d{8}$/)]);
});

test("secrets stand in no event, whatever held them", async () => {
  const secret = "sk-verysecretvalue-000111";
  await using host = await testAgent({
    steps: [
      { text: `I use ${secret}.`, toolCalls: [{ tool: "look", input: { key: secret } }] },
      { text: "done" },
    ],
    tools: [toolOf("look", answers(`key=${secret}`))],
    agent: { secrets: [secret] },
  });
  const sink = new RecordingSink();
  await host.prompt(`the key is ${secret}`, { sink });
  expect(JSON.stringify(host.session.events)).not.toContain(secret);
  expect(host.session.meta.title).not.toContain(secret);
});

test("reads that follow each other run side by side, everything else in order", async () => {
  let running = 0;
  let most = 0;
  const order: string[] = [];
  let bothRun = (): void => undefined;
  const both = new Promise<void>((resolve) => {
    bothRun = resolve;
  });
  const tool = (name: string, risk: "read" | "write"): ReturnType<typeof toolOf> =>
    toolOf(
      name,
      async (input) => {
        running += 1;
        most = Math.max(most, running);
        order.push(`${name} ${JSON.stringify(input)}`);
        if (running === 2) bothRun();
        if (order.length <= 2) await both;
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        return answers(name)();
      },
      { risk, kind: risk === "read" ? "read" : "edit" },
    );
  await using host = await testAgent({
    steps: [
      {
        toolCalls: [
          { tool: "look", input: 1 },
          { tool: "look", input: 2 },
          { tool: "change", input: 3 },
          { tool: "change", input: 4 },
          { tool: "look", input: 5 },
        ],
      },
      { text: "done" },
    ],
    tools: [tool("look", "read"), tool("change", "write")],
  });
  await host.prompt("go");
  expect(most).toBe(2);
  expect(order).toEqual(["look 1", "look 2", "change 3", "change 4", "look 5"]);
  const events = host.session.events.filter(({ type }) => type.startsWith("TOOL_"));
  const shown = typesOf(events).map((type) => (type === "TOOL_CALL" ? "call" : "result"));
  expect(shown.join(" ")).toBe("call call call result result result call result call result");
});
