import { writeFile } from "node:fs/promises";
import { join } from "node:path";
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

/** The promise. What the machine itself is late by is measured and comes on top. */
const PROMISED_MS = 1_000;
const PROBE_MS = 10;
const never = (): Promise<never> => new Promise(() => undefined);

/** Resolves once, with whatever calls it. */
function signalled(): { readonly reached: Promise<void>; readonly reach: () => void } {
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach: () => reach() };
}

/** Ends the work by `cancel`, and holds it to the promise: timers that come late delay everybody's. */
async function expectPrompt<T>(work: Promise<T>, cancel: () => void): Promise<T> {
  let late = 0;
  let last = performance.now();
  const tick = (): void => {
    const now = performance.now();
    late += Math.max(0, now - last - PROBE_MS);
    last = now;
  };
  const probe = setInterval(tick, PROBE_MS);
  const start = last;
  cancel();
  try {
    return await work;
  } finally {
    clearInterval(probe);
    const ms = performance.now() - start;
    tick();
    expect(ms).toBeLessThan(PROMISED_MS + late);
  }
}

async function expectCancelled(work: Promise<TurnResult>, cancel: () => void): Promise<void> {
  expect(await expectPrompt(work, cancel)).toMatchObject({ stopReason: "cancelled" });
}

/** Every call has a result, and the next request is one that a service takes. */
function expectValid(events: readonly SessionEvent[]): void {
  const called = payloadsOf(events, "TOOL_CALL").map(({ call_id: id }) => id);
  const answered = payloadsOf(events, "TOOL_RESULT").map(({ call_id: id }) => id);
  expect(answered.toSorted()).toEqual(called.toSorted());
  const messages = conversationOf(events, { provider: "test", model: "one", vision: false });
  // None when it was cancelled before the prompt was accepted.
  expect(messages.at(0)?.role ?? "user").toBe("user");
}

async function cancelled(
  options: TestAgentOptions,
  until: (host: TestAgent) => Promise<void> | Promise<unknown>,
): Promise<TestAgent> {
  const host = await testAgent(options);
  const controller = new AbortController();
  const running = host.prompt("go", { signal: controller.signal });
  await until(host);
  await expectCancelled(running, () => controller.abort());
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

/** What a turn waits for that knows nothing of its signal. */
const DEAF: readonly [string, (host: TestAgent, reach: () => void) => void][] = [
  [
    "the files that the prompt names",
    ({ session }, reach) => {
      vi.spyOn(session.parts.workspace, "locate").mockImplementation(() => (reach(), never()));
    },
  ],
  [
    "the choice of skills",
    ({ session }, reach) => {
      vi.spyOn(session.parts.skills, "choose").mockImplementation(() => (reach(), never()));
    },
  ],
  [
    "tools that connect",
    ({ session }, reach) => {
      vi.spyOn(session.parts.registry, "ready").mockImplementation(() => (reach(), never()));
    },
  ],
  [
    "the model to be found",
    ({ session }, reach) => {
      vi.spyOn(session.parts.model, "get").mockImplementation(() => (reach(), never()));
    },
  ],
  [
    "a stream that does not listen",
    ({ session }, reach) => {
      const deaf = streamModel([], [], {
        async *stream() {
          yield { type: "text-start", id: "1" };
          yield { type: "text-delta", id: "1", delta: "half" };
          reach();
          await never();
        },
      });
      vi.spyOn(session.parts.model, "get").mockResolvedValue(deaf);
    },
  ],
];

test.each(DEAF)("while it waits for %s, and the next prompt works", async (_what, deafen) => {
  await using host = await testAgent({ steps: [{ text: "next" }] });
  await writeFile(join(host.cwd, "a.txt"), "a");
  const { reached, reach } = signalled();
  deafen(host, reach);
  const controller = new AbortController();
  const running = host.prompt("read @a.txt", { signal: controller.signal });
  await reached;
  await expectCancelled(running, () => controller.abort());
  expectValid(host.session.events);
  expect(typesOf(host.session.events)).not.toContain("ASSISTANT_MESSAGE");
  vi.restoreAllMocks();
  expect(await host.prompt("again")).toMatchObject({ stopReason: "end_turn", text: "next" });
});

test("a tool that ignores it and a sink that never answers take one second together", async () => {
  const { reached, reach } = signalled();
  await using host = await testAgent({
    steps: [{ toolCalls: [{ tool: "ignores", input: {} }] }],
    tools: [toolOf("ignores", (_input, { onOutput }) => (onOutput?.("a line\n"), never()))],
  });
  const controller = new AbortController();
  const running = host.prompt("go", {
    signal: controller.signal,
    sink: {
      event: () => undefined,
      update: ({ type }) => (type === "tool_output" ? (reach(), never()) : undefined),
    },
  });
  await reached;
  await expectCancelled(running, () => controller.abort());
  expectValid(host.session.events);
});

test("compact and close, while the model is being found and while it sums up without listening", async () => {
  await using host = await testAgent({ steps: [{ text: "an answer" }] });
  await host.prompt("go");
  const before = host.session.events.length;
  const controller = new AbortController();
  const { model } = host.session.parts;
  vi.spyOn(model, "get").mockImplementation(never);
  const found = host.session
    .compact({ signal: controller.signal })
    .catch((error: unknown) => error);
  expect(await expectPrompt(found, () => controller.abort())).toMatchObject({
    code: "CORE_ABORTED",
  });
  const { reached, reach } = signalled();
  const deaf = streamModel([], [], { generate: () => (reach(), never()) });
  vi.spyOn(model, "get").mockResolvedValue(deaf);
  const summed = host.session.compact().catch((error: unknown) => error);
  await reached;
  expect(await expectPrompt(summed, () => void host.session.close())).toMatchObject({
    code: "CORE_ABORTED",
  });
  await host.session.close();
  vi.restoreAllMocks();
  expect(host.session.events).toHaveLength(before);
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
  await expectCancelled(running, () => controller.abort());
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
  await expectCancelled(running, () => controller.abort());
  const grandchild = Number(/\d+/.exec(output)?.[0]);
  await vi.waitFor(() => expect(() => process.kill(grandchild, 0)).toThrow("ESRCH"), 5_000);
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
  await expectCancelled(running, () => controller.abort());
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
  await expectCancelled(second, () => alone.abort());
  expect(host.session.busy).toBe(true);
  await expectCancelled(third, () => controller.abort());
  expect((await running).stopReason).toBe("cancelled");
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
  await expectCancelled(running, () => void host.session.close());
  const stored = await host.agent.store.read(host.session.id);
  expectValid(stored.events);
});
