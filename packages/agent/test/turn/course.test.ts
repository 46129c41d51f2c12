import { type Model, modelError, type ModelStreamPart } from "@acumen/models";
import { createScriptedModel } from "@acumen/models/testing";
import { FakeClock } from "@acumen/testkit";
import { expect, test } from "vitest";
import { answers, payloadsOf, streamModel, testAgent, toolOf } from "./test-agent.ts";

const look = { toolCalls: [{ tool: "look", input: {} }] };
const plan = (status: string): object => ({
  toolCalls: [{ tool: "update_plan", input: { entries: [{ content: "work", status }] } }],
});
/** Another result each time. */
function counter(): ReturnType<typeof toolOf> {
  let count = 0;
  return toolOf("look", () => answers(`result ${(count += 1)}`)());
}

test("AUTO_STOP step_limit", async () => {
  await using host = await testAgent({
    steps: [look, look, look],
    tools: [counter()],
    limits: { maxSteps: 2 },
  });
  const result = await host.prompt("go");
  const stop = { reason: "step_limit", limit: 2 };
  expect(result).toMatchObject({ stopReason: "max_turn_requests", autoStop: stop });
  expect(payloadsOf(host.session.events, "AUTO_STOP")).toEqual([stop]);
  expect(host.model.calls).toHaveLength(2);
});

test("the last step allowed may end the turn by itself", async () => {
  await using host = await testAgent({
    steps: [look, { text: "done" }],
    tools: [counter()],
    limits: { maxSteps: 2 },
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn" });
  expect(payloadsOf(host.session.events, "AUTO_STOP")).toEqual([]);
});

test("AUTO_STOP token_budget", async () => {
  const usage = { inputTokens: 400, outputTokens: 200 };
  await using host = await testAgent({
    steps: [
      { ...look, usage },
      { ...look, usage },
    ],
    tools: [counter()],
    limits: { tokenBudget: 600 },
  });
  const result = await host.prompt("go");
  const stop = { reason: "token_budget", limit: 600 };
  expect(result).toMatchObject({ stopReason: "max_tokens", autoStop: stop });
  expect(host.model.calls).toHaveLength(1);
});

test("AUTO_STOP repeated_call: the same call and result three times", async () => {
  await using host = await testAgent({
    steps: [look, look, look, look],
    tools: [toolOf("look", answers("the same"))],
  });
  const result = await host.prompt("go");
  const stop = { reason: "repeated_call", limit: 3 };
  expect(result).toMatchObject({ stopReason: "max_turn_requests", autoStop: stop });
  expect(host.model.calls).toHaveLength(3);
});

test("another result, or something new in between, is no repetition", async () => {
  await using host = await testAgent({
    steps: [look, look, look, look, { text: "done" }],
    tools: [counter()],
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn" });
  const other = (input: number): object => ({ toolCalls: [{ tool: "look", input }] });
  await using second = await testAgent({
    steps: [look, other(1), look, other(2), look, other(3), { text: "done" }],
    tools: [toolOf("look", answers("the same"))],
  });
  expect(await second.prompt("go")).toMatchObject({ stopReason: "end_turn" });
});

test.each(["status", "logs", "list"])(
  "polling a background process by %s never counts as repetition",
  async (action) => {
    const bash = (input: object): object => ({ toolCalls: [{ tool: "bash", input }] });
    const poll = bash(action === "list" ? { action } : { action, process_id: "bg_1" });
    await using host = await testAgent({
      steps: [
        bash({ action: "start", command: "sleep 300" }),
        poll,
        poll,
        poll,
        poll,
        { text: "done" },
      ],
    });
    expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "done" });
    const results = payloadsOf(host.session.events, "TOOL_RESULT");
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill("completed"));
  },
);

test("other actions of bash, and polling by a tool of another name, do count", async () => {
  const stop = { toolCalls: [{ tool: "bash", input: { action: "stop", process_id: "bg_9" } }] };
  await using host = await testAgent({ steps: [stop, stop, stop] });
  expect(await host.prompt("go")).toMatchObject({ autoStop: { reason: "repeated_call" } });
  const status = { toolCalls: [{ tool: "look", input: { action: "status" } }] };
  await using second = await testAgent({
    steps: [status, status, status],
    tools: [toolOf("look", answers("the same"))],
  });
  expect(await second.prompt("go")).toMatchObject({ autoStop: { reason: "repeated_call" } });
});

test("AUTO_STOP wall_clock interrupts what runs, without the time of a person", async () => {
  const clock = new FakeClock();
  const slow = toolOf("look", async (_input, { signal }) => {
    clock.advance(300);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw signal.reason;
  });
  const questions = {
    ask: () => {
      clock.advance(3_600_000);
      return Promise.resolve("blue");
    },
  };
  await using host = await testAgent({
    steps: [
      { toolCalls: [{ tool: "ask_user", input: { question: "Which?" } }] },
      { ...look, expect: { toolResultIncludes: "blue" } },
    ],
    tools: [slow],
    limits: { wallClockMs: 300 },
    session: { questions },
    agent: { clock },
  });
  const result = await host.prompt("go");
  const stop = { reason: "wall_clock", limit: 300 };
  expect(result).toMatchObject({ stopReason: "max_turn_requests", autoStop: stop });
  expect(payloadsOf(host.session.events, "TOOL_RESULT").map(({ status }) => status)).toEqual([
    "completed",
    "cancelled",
  ]);
});

test("AUTO_CONTINUE output_limit joins the text", async () => {
  await using host = await testAgent({
    steps: [
      { text: "one ", finish: "length" },
      { text: "two", expect: { lastUserIncludes: "cut off at the output limit" } },
    ],
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "one two" });
  expect(payloadsOf(host.session.events, "AUTO_CONTINUE")).toEqual([
    { reason: "output_limit", count: 1 },
  ]);
});

test("AUTO_STOP continuation_limit for an open plan is max_turn_requests, for an output limit max_tokens", async () => {
  await using cut = await testAgent({
    steps: Array.from({ length: 5 }, () => ({ text: "more ", finish: "length" })),
    limits: { maxContinuations: 2 },
  });
  const stop = { reason: "continuation_limit", limit: 2 };
  expect(await cut.prompt("go")).toMatchObject({
    stopReason: "max_tokens",
    autoStop: stop,
    text: "more more more ",
  });
  await using open = await testAgent({
    steps: [
      plan("in_progress"),
      ...Array.from({ length: 5 }, (_, index) => ({ text: `${index}` })),
    ],
    limits: { maxContinuations: 2 },
  });
  expect(await open.prompt("go")).toMatchObject({
    stopReason: "max_turn_requests",
    autoStop: stop,
    text: "2",
  });
});

test("AUTO_CONTINUE open_plan while an entry is in progress, and not when none is", async () => {
  await using host = await testAgent({
    steps: [
      plan("in_progress"),
      { text: "What next?" },
      { ...plan("completed"), expect: { lastUserIncludes: "still in progress" } },
      { text: "done" },
    ],
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "done" });
  expect(payloadsOf(host.session.events, "AUTO_CONTINUE")).toEqual([
    { reason: "open_plan", count: 1 },
  ]);
  await using pending = await testAgent({ steps: [plan("pending"), { text: "What next?" }] });
  await pending.prompt("go");
  expect(payloadsOf(pending.session.events, "AUTO_CONTINUE")).toEqual([]);
});

test.each(["other", "error", "tool-calls"] as const)(
  "an open plan does not make the runtime go on when the answer ended with %s",
  async (unified) => {
    const input = JSON.stringify({ entries: [{ content: "read", status: "in_progress" }] });
    const finish = (reason: typeof unified | "stop"): ModelStreamPart => ({
      type: "finish",
      finishReason: { unified: reason, raw: reason },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 1, text: 1, reasoning: undefined },
      },
    });
    const planned: ModelStreamPart = {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "update_plan",
      input,
    };
    const asked: unknown[] = [];
    const model = streamModel(asked, [[planned, finish("tool-calls")], [finish(unified)]]);
    await using host = await testAgent({ model });
    expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn" });
    expect(payloadsOf(host.session.events, "PLAN_UPDATED")).toHaveLength(1);
    expect(payloadsOf(host.session.events, "AUTO_CONTINUE")).toEqual([]);
    expect(asked).toHaveLength(2);
  },
);

test("a plan of an earlier turn, or a question to the user, does not make the runtime go on", async () => {
  await using host = await testAgent({
    steps: [plan("in_progress"), { text: "a" }, { text: "b" }, { text: "c" }, { text: "d" }],
    limits: { maxContinuations: 0 },
  });
  await host.prompt("first");
  expect(await host.prompt("second")).toMatchObject({ stopReason: "end_turn" });
  await using asked = await testAgent({
    steps: [
      plan("in_progress"),
      { toolCalls: [{ tool: "ask_user", input: { question: "Which?" } }] },
      { text: "I wait." },
    ],
    session: { questions: { ask: () => Promise.resolve("blue") } },
  });
  expect(await asked.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "I wait." });
  expect(payloadsOf(asked.session.events, "AUTO_CONTINUE")).toEqual([]);
});

test("BLOCKED approval_rejected when the model ends after a rejected call", async () => {
  const change = toolOf("change", answers("changed"), { risk: "write", kind: "edit" });
  await using host = await testAgent({
    steps: [
      { toolCalls: [{ tool: "change", input: {} }] },
      { text: "I may not.", expect: { toolResultIncludes: "use --mode auto" } },
    ],
    tools: [change],
    session: { mode: "safe", rejectedHint: "use --mode auto" },
  });
  const result = await host.prompt("go");
  const blocked = { reason: "approval_rejected", detail: "change {}" };
  expect(result).toMatchObject({ stopReason: "end_turn", blocked });
  expect(payloadsOf(host.session.events, "BLOCKED")).toEqual([blocked]);
  expect(payloadsOf(host.session.events, "TOOL_RESULT")[0]?.status).toBe("rejected");
  expect(payloadsOf(host.session.events, "APPROVAL_DECIDED")[0]).toMatchObject({
    decision: "reject_once",
    by: "nobody",
  });
});

test("a rejected call that is followed by another one does not block", async () => {
  await using host = await testAgent({
    steps: [{ toolCalls: [{ tool: "change", input: {} }] }, look, { text: "done" }],
    tools: [toolOf("change", answers(""), { risk: "write", kind: "edit" }), counter()],
    session: { mode: "safe" },
  });
  expect(await host.prompt("go")).not.toHaveProperty("blocked");
});

test("BLOCKED question ends the turn, and later calls of the step do not run", async () => {
  let ran = 0;
  const change = toolOf("change", () => ((ran += 1), answers("")()), {
    risk: "write",
    kind: "edit",
  });
  await using host = await testAgent({
    steps: [
      {
        toolCalls: [
          { tool: "ask_user", input: { question: "Red or blue?" } },
          { tool: "change", input: {} },
        ],
      },
      { text: "never" },
    ],
    tools: [change],
  });
  const result = await host.prompt("go");
  const blocked = { reason: "question", detail: "Red or blue?" };
  expect(result).toMatchObject({ stopReason: "end_turn", blocked });
  expect(host.model.calls).toHaveLength(1);
  expect(ran).toBe(0);
  expect(payloadsOf(host.session.events, "TOOL_RESULT").map(({ status }) => status)).toEqual([
    "failed",
    "cancelled",
  ]);
});

test("BLOCKED missing_tool when the model ends after a call of a tool that does not exist", async () => {
  await using host = await testAgent({
    steps: [{ toolCalls: [{ tool: "deploy", input: {} }] }, { text: "no such tool" }],
  });
  const blocked = { reason: "missing_tool", detail: "deploy" };
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", blocked });
});

test("a content filter is a refusal, and calls of that answer do not run", async () => {
  let ran = 0;
  await using host = await testAgent({
    steps: [{ text: "I can't.", ...look, finish: "content-filter" }],
    tools: [toolOf("look", () => ((ran += 1), answers("")()))],
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "refusal", text: "I can't." });
  expect(ran).toBe(0);
});

test("COMPACT inside a turn from real token counts, and the turn goes on", async () => {
  const big = toolOf("look", answers("word ".repeat(3_000)));
  await using host = await testAgent({
    contextWindow: 40_000,
    steps: [
      { ...look, usage: { inputTokens: 5_000, outputTokens: 10 } },
      { toolCalls: [{ tool: "look", input: 2 }], usage: { inputTokens: 39_000, outputTokens: 10 } },
      { text: "done" },
    ],
    tools: [big],
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "done" });
  const compacts = payloadsOf(host.session.events, "COMPACT");
  expect(compacts.length).toBeGreaterThan(0);
  expect(compacts[0]?.tokens_before).toBeGreaterThan(39_000);
  expect(compacts.at(-1)?.tokens_after).toBeLessThan(39_000);
});

test("AUTO_CONTINUE after_compact when room had to be made before the runtime went on", async () => {
  await using host = await testAgent({
    contextWindow: 40_000,
    steps: [
      { ...look, usage: { inputTokens: 5_000, outputTokens: 10 } },
      { text: "cut", finish: "length", usage: { inputTokens: 38_000, outputTokens: 2_000 } },
      { text: " on", expect: { lastUserIncludes: "replaced by a summary" } },
    ],
    tools: [toolOf("look", answers("word ".repeat(3_000)))],
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "cut on" });
  expect(payloadsOf(host.session.events, "AUTO_CONTINUE")).toEqual([
    { reason: "after_compact", count: 1 },
  ]);
});

test("a service that says the conversation is too long: compacted once, then BLOCKED context_full", async () => {
  const tooLong = { error: { kind: "context_length", message: "too long" } };
  await using mended = await testAgent({
    steps: [look, tooLong, { text: "done" }],
    tools: [counter()],
  });
  expect(await mended.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "done" });
  expect(payloadsOf(mended.session.events, "COMPACT")).toHaveLength(1);
  await using full = await testAgent({ steps: [look, tooLong, tooLong], tools: [counter()] });
  expect(await full.prompt("go")).toMatchObject({
    stopReason: "max_tokens",
    blocked: { reason: "context_full" },
  });
});

test("a summary that cannot be had is an ERROR and not the end, and is tried once", async () => {
  const usage = { inputTokens: 39_000, outputTokens: 10 };
  const generate = (): Promise<never> =>
    Promise.reject(
      modelError("not today", { provider: "p", model: "m", kind: "quota", retryable: false }),
    );
  const scripted = createScriptedModel({
    contextWindow: 40_000,
    steps: [{ ...look, usage }, { ...look, usage }, { text: "done" }],
  });
  const model: Model = {
    id: scripted.id,
    provider: scripted.provider,
    model: scripted.model,
    capabilities: scripted.capabilities,
    languageModel: scripted.languageModel,
    stream: (request) => scripted.stream(request),
    generate,
  };
  await using host = await testAgent({ model, tools: [counter()] });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "done" });
  expect(payloadsOf(host.session.events, "ERROR")).toMatchObject([
    { code: "MODEL_FAILED", message: "not today", source: "model" },
  ]);
});
