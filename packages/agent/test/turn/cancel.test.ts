import { expect, test, vi } from "vitest";
import type { Model } from "@acumen/models";
import { conversationOf } from "../../src/conversation/conversation.ts";
import { type SessionEvent, textBlock, type TurnResult } from "../../src/index.ts";
import {
  answers,
  payloadsOf,
  streamModel,
  testAgent,
  type TestAgent,
  type TestAgentOptions,
  toolOf,
  typesOf,
} from "./test-agent.ts";

/** One second is the promise; a machine that is busy with other things may be late itself. */
const PROMISED_MS = 1_000;
const SLACK_MS = 2_000;
const never = (): Promise<never> => new Promise(() => undefined);

/** Resolves once, with whatever calls it. */
function signalled(): { readonly reached: Promise<void>; readonly reach: () => void } {
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach: () => reach() };
}

async function timed(work: Promise<TurnResult>, cancel: () => void): Promise<number> {
  const start = performance.now();
  cancel();
  expect(await work).toMatchObject({ stopReason: "cancelled" });
  return performance.now() - start;
}

/** Every call has a result, and the next request is one that a service takes. */
function expectValid(events: readonly SessionEvent[]): void {
  const called = payloadsOf(events, "TOOL_CALL").map(({ call_id: id }) => id);
  const answered = payloadsOf(events, "TOOL_RESULT").map(({ call_id: id }) => id);
  expect(answered.toSorted()).toEqual(called.toSorted());
  const messages = conversationOf(events, { provider: "test", model: "one", vision: false });
  expect(messages.at(0)?.role).toBe("user");
}

async function cancelled(
  options: TestAgentOptions,
  until: (host: TestAgent) => Promise<void> | Promise<unknown>,
): Promise<TestAgent> {
  const host = await testAgent(options);
  const controller = new AbortController();
  const running = host.prompt("go", { signal: controller.signal });
  await until(host);
  const ms = await timed(running, () => controller.abort());
  expect(ms).toBeLessThan(PROMISED_MS + SLACK_MS);
  expectValid(host.session.events);
  return host;
}

test("before anything happened", async () => {
  await using host = await testAgent({ steps: [{ text: "a" }] });
  const before = host.session.events.length;
  const signal = AbortSignal.abort();
  expect(await host.prompt("go", { signal })).toMatchObject({
    stopReason: "cancelled",
    usage: { inputTokens: 0, outputTokens: 0 },
  });
  expect(host.session.events).toHaveLength(before);
});

test("in the same moment as the prompt", async () => {
  await using host = await cancelled({ steps: [{ text: "a" }] }, () => Promise.resolve());
  expect(host.model.calls).toHaveLength(0);
});

test("while the model is silent, and the next prompt works", async () => {
  await using host = await cancelled(
    { steps: [{ text: "late", delayMs: 60_000 }, { text: "next" }] },
    (waiting) => vi.waitFor(() => expect(waiting.model.calls).toHaveLength(1)),
  );
  expect(await host.prompt("again")).toMatchObject({ stopReason: "end_turn", text: "next" });
});

test("while the answer streams: nothing of the half message is logged", async () => {
  const { reached, reach } = signalled();
  await using host = await testAgent({
    steps: [
      { reasoning: "whole thought", text: "a text that takes long", chunkSize: 1, delayMs: 30 },
    ],
  });
  const controller = new AbortController();
  const running = host.prompt("go", {
    signal: controller.signal,
    sink: {
      event: () => undefined,
      update: (update) => {
        if (update.type === "delta" && update.kind === "assistant") reach();
      },
    },
  });
  await reached;
  expect(await timed(running, () => controller.abort())).toBeLessThan(PROMISED_MS + SLACK_MS);
  expect(typesOf(host.session.events)).not.toContain("ASSISTANT_MESSAGE");
  expectValid(host.session.events);
});

test("while tools run, one that obeys and one that does not", async () => {
  const { reached, reach } = signalled();
  let started = 0;
  const begin = (): void => {
    started += 1;
    if (started === 2) reach();
  };
  const obeys = toolOf("obeys", async (_input, { signal }) => {
    begin();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw signal.reason;
  });
  const ignores = toolOf("ignores", () => (begin(), never()));
  await using host = await cancelled(
    {
      steps: [
        {
          toolCalls: [
            { tool: "obeys", input: {} },
            { tool: "ignores", input: {} },
            { tool: "obeys", input: 3 },
          ],
        },
        { text: "next" },
      ],
      tools: [obeys, ignores],
    },
    () => reached,
  );
  expect(payloadsOf(host.session.events, "TOOL_RESULT").map(({ status }) => status)).toEqual([
    "cancelled",
    "cancelled",
    "cancelled",
  ]);
  expect(await host.prompt("again")).toMatchObject({ stopReason: "end_turn", text: "next" });
});

test("while a command runs: nothing of its process group is left", async () => {
  const { reached, reach } = signalled();
  const command = "sh -c 'echo $$; sleep 300' & wait";
  const host = await testAgent({
    steps: [{ toolCalls: [{ tool: "bash", input: { command } }] }],
  });
  await using _host = host;
  const controller = new AbortController();
  let output = "";
  const running = host.prompt("go", {
    signal: controller.signal,
    sink: {
      event: () => undefined,
      update: (update) => {
        if (update.type === "tool_output") output += update.text;
        if (/\d+\n/.test(output)) reach();
      },
    },
  });
  await reached;
  expect(await timed(running, () => controller.abort())).toBeLessThan(PROMISED_MS + SLACK_MS);
  const grandchild = Number(/\d+/.exec(output)?.[0]);
  await vi.waitFor(() => expect(() => process.kill(grandchild, 0)).toThrow("ESRCH"));
  expectValid(host.session.events);
});

test("calls that come after the one that was cancelled are answered too", async () => {
  const { reached, reach } = signalled();
  const change = toolOf("change", () => (reach(), never()), { risk: "write", kind: "edit" });
  await using host = await cancelled(
    {
      steps: [
        {
          toolCalls: [
            { tool: "change", input: 1 },
            { tool: "change", input: 2 },
          ],
        },
      ],
      tools: [change],
    },
    () => reached,
  );
  expect(payloadsOf(host.session.events, "TOOL_RESULT").map(({ status }) => status)).toEqual([
    "cancelled",
    "cancelled",
  ]);
});

const changing: TestAgentOptions = {
  steps: [{ toolCalls: [{ tool: "change", input: {} }] }, { text: "next" }],
  tools: [toolOf("change", answers("changed"), { risk: "write", kind: "edit" })],
};

test("while an approval is open", async () => {
  const { reached, reach } = signalled();
  await using host = await cancelled(
    {
      ...changing,
      session: { mode: "safe", approvals: { request: () => (reach(), never()) } },
    },
    () => reached,
  );
  expect(payloadsOf(host.session.events, "APPROVAL_REQUESTED")).toHaveLength(1);
  expect(payloadsOf(host.session.events, "APPROVAL_DECIDED")).toMatchObject([
    { decision: "cancelled" },
  ]);
});

test("a gateway that answers cancelled ends the turn, and prompts that wait", async () => {
  await using host = await testAgent({
    ...changing,
    session: { mode: "safe", approvals: { request: () => Promise.resolve("cancelled") } },
  });
  const [first, second] = await Promise.all([host.prompt("go"), host.prompt("wait")]);
  expect([first.stopReason, second.stopReason]).toEqual(["cancelled", "cancelled"]);
  expect(payloadsOf(host.session.events, "USER_MESSAGE")).toHaveLength(1);
  expectValid(host.session.events);
  expect(await host.prompt("again")).toMatchObject({ stopReason: "end_turn", text: "next" });
});

test("while a question is open", async () => {
  const { reached, reach } = signalled();
  await using host = await cancelled(
    {
      steps: [{ toolCalls: [{ tool: "ask_user", input: { question: "Which?" } }] }],
      session: { questions: { ask: () => (reach(), never()) } },
    },
    () => reached,
  );
  expect(payloadsOf(host.session.events, "TOOL_RESULT")).toMatchObject([{ status: "cancelled" }]);
});

test("while a summary is written: nothing of the compaction is logged", async () => {
  const { reached, reach } = signalled();
  const generate: Model["generate"] = ({ signal }) =>
    new Promise((_resolve, reject) => {
      reach();
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  const capabilities = { snapshotDate: "2026-01-01", contextWindow: 20_000 };
  const model = streamModel([], [], { generate, capabilities });
  const host = await testAgent({ model });
  await using _host = host;
  await host.session.log.record(
    {
      type: "USER_MESSAGE",
      payload: { content: [textBlock("word ".repeat(20_000))], source: "t" },
    },
    { turnId: "01", step: 0 },
  );
  await host.session.log.record(
    {
      type: "ASSISTANT_MESSAGE",
      payload: { message_id: "m", kind: "assistant", text: "word ".repeat(2_000), skill_ids: [] },
    },
    { turnId: "01", step: 1 },
  );
  const controller = new AbortController();
  const running = host.prompt("go", { signal: controller.signal });
  await reached;
  expect(await timed(running, () => controller.abort())).toBeLessThan(PROMISED_MS + SLACK_MS);
  expect(typesOf(host.session.events)).not.toContain("COMPACT");
});

test("in the queue: that prompt alone; a cancel of the running one answers all that wait", async () => {
  const { reached, reach } = signalled();
  const change = toolOf("change", () => (reach(), never()), { risk: "write", kind: "edit" });
  await using host = await testAgent({ ...changing, tools: [change] });
  const controller = new AbortController();
  const alone = new AbortController();
  const running = host.prompt("one", { signal: controller.signal });
  const second = host.prompt("two", { signal: alone.signal });
  const third = host.prompt("three");
  await reached;
  expect(await timed(second, () => alone.abort())).toBeLessThan(PROMISED_MS + SLACK_MS);
  expect(host.session.busy).toBe(true);
  const start = performance.now();
  controller.abort();
  expect((await third).stopReason).toBe("cancelled");
  expect((await running).stopReason).toBe("cancelled");
  expect(performance.now() - start).toBeLessThan(PROMISED_MS + SLACK_MS);
  expect(payloadsOf(host.session.events, "USER_MESSAGE")).toHaveLength(1);
});

test("closing the session cancels the turn", async () => {
  const { reached, reach } = signalled();
  await using host = await testAgent({
    ...changing,
    tools: [toolOf("change", () => (reach(), never()), { risk: "write", kind: "edit" })],
  });
  const running = host.prompt("go");
  await reached;
  const ms = await timed(running, () => void host.session.close());
  expect(ms).toBeLessThan(PROMISED_MS + SLACK_MS);
  const stored = await host.agent.store.read(host.session.id);
  expectValid(stored.events);
});
