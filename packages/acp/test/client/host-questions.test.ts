import { type ClientApp, RequestError } from "@agentclientprotocol/sdk";
import { expect, test, vi } from "vitest";
import { hostQuestions } from "../../src/client/host-questions.ts";
import { hostBench } from "../support/host-bench.ts";
import { connectedHost, NO_FEATURES } from "./support/client-bench.ts";

const ASK = "elicitation/create";
const question = { sessionId: "one", callId: "call_1", question: "Which one?", options: [] };
const { signal } = new AbortController();

function asking(answer: () => unknown, serves = (host: ClientApp) => host) {
  const host = connectedHost((app) => serves(app).onRequest(ASK, answer as () => never));
  const questions = hostQuestions({
    client: host.client,
    sessionId: () => "one",
    features: { ...NO_FEATURES, formElicitation: true },
  });
  if (questions === undefined) throw new Error("There is nobody to ask.");
  return { host, questions };
}

test("a host without forms answers no questions", () => {
  using host = connectedHost((app) => app);
  expect(
    hostQuestions({ client: host.client, sessionId: () => "one", features: NO_FEATURES }),
  ).toBeUndefined();
});

test("a question is a form with one text", async () => {
  const { host, questions } = asking(() => ({
    action: "accept",
    content: { answer: " the first " },
  }));
  expect(await questions.ask(question, signal)).toBe("the first");
  expect(host.sent).toMatchObject([
    {
      method: ASK,
      params: {
        mode: "form",
        sessionId: "one",
        toolCallId: "call_1",
        message: "Which one?",
        requestedSchema: {
          type: "object",
          properties: { answer: { type: "string", title: "Answer" } },
          required: ["answer"],
        },
      },
    },
  ]);
  expect(host.faults).toEqual([]);
  host.close();
});

test("options can be chosen, and something else can be said", async () => {
  let content: unknown = { choice: "b" };
  const { host, questions } = asking(() => ({ action: "accept", content }));
  const ask = () => questions.ask({ ...question, options: ["a", "b", "a"] }, signal);
  expect(await ask()).toBe("b");
  content = { answer: "neither" };
  expect(await ask()).toBe("neither");
  content = { choice: "a", answer: "but slowly" };
  expect(await ask()).toBe("a\nbut slowly");
  content = { choice: "a", answer: "a" };
  expect(await ask()).toBe("a");
  expect(host.asked(ASK)[0]).toMatchObject({
    requestedSchema: {
      properties: { choice: { type: "string", enum: ["a", "b"] }, answer: { type: "string" } },
    },
  });
  expect(host.faults).toEqual([]);
  host.close();
});

test.each([
  [{ action: "decline" }, { declined: true }],
  [{ action: "cancel" }, undefined],
  [{ action: "later" }, undefined],
  [{}, undefined],
  ["yes", undefined],
  [{ action: "accept" }, ""],
  [{ action: "accept", content: null }, ""],
  [{ action: "accept", content: { answer: { a: 1 } } }, ""],
  [{ action: "accept", content: { answer: 7 } }, "7"],
])("%j answers %j", async (answer, expected) => {
  const { host, questions } = asking(() => answer);
  expect(await questions.ask(question, signal)).toEqual(expected);
  host.close();
});

test("a refusal answers nothing, and what is not there is asked once", async () => {
  let error = new RequestError(-32_603, "no window");
  const { host, questions } = asking(() => {
    throw error;
  });
  expect(await questions.ask(question, signal)).toBeUndefined();
  error = RequestError.methodNotFound(ASK);
  expect(await questions.ask(question, signal)).toBeUndefined();
  expect(await questions.ask(question, signal)).toBeUndefined();
  expect(host.methods()).toEqual([ASK, ASK]);
  host.close();
});

test("a person may take as long as they like, a cancel ends the question at once, and so does the end of the host", async () => {
  vi.useFakeTimers();
  try {
    const { host, questions } = asking(() => new Promise(() => undefined));
    const controller = new AbortController();
    const asked = questions.ask(question, controller.signal);
    const settled = vi.fn<() => void>();
    void asked.then(settled, settled);
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(host.methods()).toEqual([ASK]);
    expect(settled).not.toHaveBeenCalled();
    controller.abort();
    await expect(asked).rejects.toMatchObject({ code: "CORE_ABORTED" });
    expect(host.methods()).toEqual([ASK, "$/cancel_request"]);
    const left = questions.ask(question, signal);
    host.close();
    expect(await left).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ["an answer is what the model goes on with", { action: "accept", content: { answer: "b" } }, "b"],
  ["no answer ends the turn with the question", { action: "cancel" }, "Nobody is there"],
  ["who declines is said to have declined", { action: "decline" }, "The user declined to answer"],
])("through the whole agent: %s", async (_, answer, said) => {
  await using bench = await hostBench({
    mode: "auto",
    capabilities: { elicitation: { form: {} } },
    serves: (host) => host.onRequest(ASK, () => answer as never),
    steps: [{ toolCalls: [{ tool: "ask_user", input: { question: "Which?" } }] }, { text: "on" }],
  });
  const { sessionId } = await bench.host.request("session/new", { cwd: bench.cwd, mcpServers: [] });
  const prompt = [{ type: "text" as const, text: "go" }];
  expect(await bench.host.request("session/prompt", { sessionId, prompt })).toEqual({
    stopReason: "end_turn",
  });
  const [result] = bench.updates.filter((update) => "rawOutput" in update);
  expect(JSON.stringify(result)).toContain(said);
  expect(bench.model.calls).toHaveLength(said === "b" ? 2 : 1);
  expect(bench.faults).toEqual([]);
});
