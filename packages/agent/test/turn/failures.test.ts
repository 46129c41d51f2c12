import { modelError, type ModelFailureKind, type ModelStreamPart } from "@acumen/models";
import { AcumenError } from "@acumen/core";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test, vi } from "vitest";
import {
  agentError,
  type EventType,
  MemorySessionStore,
  type OpenedSession,
  type SessionEvent,
  textBlock,
} from "../../src/index.ts";
import {
  answers,
  payloadsOf,
  RecordingSink,
  streamModel,
  testAgent,
  toolOf,
  typesOf,
} from "./test-agent.ts";

const look = { toolCalls: [{ tool: "look", input: {} }] };

async function failureOf(work: Promise<unknown>): Promise<AcumenError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!AcumenError.isInstance(error)) throw new Error(`no coded error: ${String(error)}`);
  return error;
}

function failing(kind: ModelFailureKind, retryable = false): AcumenError {
  return modelError(`it is ${kind}`, { provider: "test", model: "one", kind, retryable });
}

const finish = (unified: "stop" | "tool-calls"): ModelStreamPart => ({
  type: "finish",
  finishReason: { unified, raw: unified },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  },
});
const words = (text: string): ModelStreamPart[] => [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: text },
];
const wholeText = (text: string): ModelStreamPart[] => [
  ...words(text),
  { type: "text-end", id: "1" },
];

test("a failing model ends the turn as a coded error, everything so far is kept, the next prompt works", async () => {
  await using host = await testAgent({
    steps: [look, { error: { kind: "quota", message: "nothing left" } }, { text: "again" }],
    tools: [toolOf("look", answers("red"))],
  });
  const error = await failureOf(host.prompt("go"));
  expect(error).toMatchObject({ code: "MODEL_FAILED", details: { kind: "quota" } });
  expect(payloadsOf(host.session.events, "ERROR")).toEqual([
    {
      code: "MODEL_FAILED",
      message: error.message,
      retryable: false,
      source: "model",
      attempt: 1,
    },
  ]);
  expect(typesOf(host.session.events).slice(-2)).toEqual(["TOOL_RESULT", "ERROR"]);
  expect(await host.prompt("again")).toMatchObject({ stopReason: "end_turn", text: "again" });
});

test("a missing key: ERROR and BLOCKED no_credentials, AGENT_NO_CREDENTIALS thrown; a refused key is a model failure", async () => {
  await using host = await testAgent({
    agent: { resolveModel: () => Promise.reject(failing("auth")) },
  });
  const error = await failureOf(host.prompt("go"));
  expect(error).toMatchObject({ code: "AGENT_NO_CREDENTIALS", message: "it is auth" });
  expect(payloadsOf(host.session.events, "ERROR")).toMatchObject([
    { code: "AGENT_NO_CREDENTIALS", source: "model" },
  ]);
  expect(payloadsOf(host.session.events, "BLOCKED")).toEqual([
    { reason: "no_credentials", detail: "it is auth" },
  ]);
  const refused = modelError("wrong key", {
    provider: "test",
    model: "one",
    kind: "auth",
    status: 401,
  });
  await using second = await testAgent({ model: streamModel([], [[refused]]) });
  expect(await failureOf(second.prompt("go"))).toMatchObject({ code: "MODEL_FAILED" });
  expect(payloadsOf(second.session.events, "BLOCKED")).toEqual([]);
});

test("an answer that breaks off is asked for again; of the broken one nothing is logged", async () => {
  const asked: unknown[] = [];
  const model = streamModel(asked, [
    [...wholeText("half a"), { type: "text-start", id: "2" }, failing("unavailable", true)],
    [...wholeText("a whole answer"), finish("stop")],
  ]);
  await using host = await testAgent({ model });
  const sink = new RecordingSink();
  expect(await host.prompt("go", { sink })).toMatchObject({ text: "a whole answer" });
  expect(payloadsOf(host.session.events, "ASSISTANT_MESSAGE").map(({ text }) => text)).toEqual([
    "a whole answer",
  ]);
  expect(asked).toHaveLength(2);
  expect(asked[1]).toEqual(asked[0]);
  expect(sink.updates.filter(({ type }) => type === "model_retry")).toMatchObject([{ attempt: 1 }]);
  expect(payloadsOf(host.session.events, "ERROR")).toEqual([]);
});

test("after three broken answers the turn fails, and what was whole of the last one is kept", async () => {
  const broken = [
    ...wholeText("I begin."),
    { type: "text-start", id: "2" } as const,
    { type: "text-delta", id: "2", delta: "and then" } as const,
    failing("unavailable", true),
  ];
  await using host = await testAgent({ model: streamModel([], [broken, broken, broken]) });
  expect(await failureOf(host.prompt("go"))).toMatchObject({ details: { kind: "unavailable" } });
  expect(payloadsOf(host.session.events, "ASSISTANT_MESSAGE").map(({ text }) => text)).toEqual([
    "I begin.",
  ]);
  expect(payloadsOf(host.session.events, "ERROR")).toMatchObject([{ attempt: 3 }]);
});

test("retries of the models package count as attempts, in ERROR and in what is shown", async () => {
  const error = failing("unavailable", true);
  let call = 0;
  const model = streamModel([], [], {
    stream: async function* ({ onRetry }) {
      call += 1;
      onRetry?.({ attempt: 1, delayMs: 0, error });
      onRetry?.({ attempt: 2, delayMs: 0, error });
      if (call === 1) yield* words("half");
      await Promise.resolve();
      throw error;
    },
  });
  await using host = await testAgent({ model });
  const sink = new RecordingSink();
  await failureOf(host.prompt("go", { sink }));
  const shown = sink.updates.flatMap((update) =>
    update.type === "model_retry" ? [update.attempt] : [],
  );
  expect(shown).toEqual([1, 2, 3, 4, 5]);
  expect(payloadsOf(host.session.events, "ERROR")).toMatchObject([{ attempt: 6 }]);
});

test("attempts of one call are none of the next, nor of a model that cannot be found", async () => {
  const broken = [...words("half"), failing("unavailable", true)];
  const call = { type: "tool-call", toolCallId: "c1", toolName: "look", input: "{}" } as const;
  const model = streamModel([], [broken, [call, finish("tool-calls")]]);
  await using host = await testAgent({ model, tools: [toolOf("look", answers("red"))] });
  vi.spyOn(host.session.parts.model, "get")
    .mockResolvedValueOnce(model)
    .mockRejectedValueOnce(failing("unknown_model"));
  await failureOf(host.prompt("go"));
  expect(payloadsOf(host.session.events, "TOOL_RESULT")).toHaveLength(1);
  expect(payloadsOf(host.session.events, "ERROR")).toMatchObject([{ attempt: 1 }]);
});

test("retries of a summary count as attempts of the summary", async () => {
  const error = failing("unavailable", true);
  const model = streamModel([], [[failing("context_length")]], {
    generate: ({ onRetry }) => {
      onRetry?.({ attempt: 1, delayMs: 0, error });
      return Promise.reject(error);
    },
  });
  await using host = await testAgent({ model });
  for (const text of ["one", "two"]) {
    const place = { turnId: text, step: 1 };
    await host.session.log.record(
      { type: "USER_MESSAGE", payload: { content: [textBlock(text)], source: "t" } },
      place,
    );
    await host.session.log.record(
      {
        type: "ASSISTANT_MESSAGE",
        payload: { message_id: "m", kind: "assistant", text: "word ".repeat(500), skill_ids: [] },
      },
      place,
    );
  }
  await failureOf(host.prompt("go"));
  expect(payloadsOf(host.session.events, "ERROR")).toMatchObject([{ attempt: 2 }]);
});

test("a failure that no retry mends, and one before the first word, are not retried here", async () => {
  const asked: unknown[] = [];
  const final = streamModel(asked, [[...words("half"), failing("bad_request")]]);
  await using host = await testAgent({ model: final });
  await failureOf(host.prompt("go"));
  const early = streamModel(asked, [[failing("unavailable", true)]]);
  await using second = await testAgent({ model: early });
  await failureOf(second.prompt("go"));
  expect(asked).toHaveLength(2);
});

test("what is thrown, told and returned holds no secret, also deep in its causes", async () => {
  const secret = "hunter2-and-more-of-it";
  const agent = { secrets: [secret] };
  const shown = (error: unknown): string => inspect(error, { depth: 20, showHidden: true });
  const early = modelError(`no answer of ${secret}`, {
    provider: "test",
    model: secret,
    kind: "unavailable",
    retryable: true,
    cause: new Error("outer", { cause: new Error(secret) }),
  });
  const model = streamModel([], [], {
    stream: async function* ({ onRetry }) {
      onRetry?.({ attempt: 1, delayMs: 0, error: early });
      yield* [];
      await Promise.resolve();
      throw early;
    },
    generate: () => Promise.reject(early),
  });
  await using host = await testAgent({ model, agent });
  const sink = new RecordingSink();
  const error = await failureOf(host.prompt("go", { sink }));
  expect(error).toMatchObject({
    code: "MODEL_FAILED",
    message: "no answer of [hidden]",
    details: { kind: "unavailable", model: "[hidden]" },
    retryable: true,
  });
  expect(shown(error)).not.toContain(secret);
  expect(JSON.stringify(sink.updates)).not.toContain(secret);
  expect(sink.updates.some(({ type }) => type === "model_retry")).toBe(true);
  const compacted = await failureOf(host.session.compact());
  expect(compacted.message).toBe("no answer of [hidden]");
  expect(shown(compacted)).not.toContain(secret);
  const quiet = new Error("quiet", { cause: secret });
  await using second = await testAgent({ model: streamModel([], [[quiet]]), agent });
  expect(shown(await failureOf(second.prompt("go")))).not.toContain(secret);
  vi.spyOn(second.session.parts.model, "find").mockRejectedValue(early);
  expect(shown(await failureOf(second.session.setModel("x/y")))).not.toContain(secret);
});

test("a failure without secrets is thrown as it came", async () => {
  const error = failing("quota");
  await using host = await testAgent({ model: streamModel([], [[error]]) });
  expect(await failureOf(host.prompt("go"))).toBe(error);
});

test("what blocks a turn is returned without secrets", async () => {
  const secret = "hunter2-and-more-of-it";
  await using host = await testAgent({
    steps: [{ toolCalls: [{ tool: "ask_user", input: { question: `Is it ${secret}?` } }] }],
    agent: { secrets: [secret] },
  });
  expect((await host.prompt("go")).blocked).toEqual({
    reason: "question",
    detail: "Is it [hidden]?",
  });
});

test("a fault of the program becomes a coded error", async () => {
  await using host = await testAgent({ model: streamModel([], [[new TypeError("oops")]]) });
  expect(await failureOf(host.prompt("go"))).toMatchObject({ code: "AGENT_TURN_FAILED" });
  expect(payloadsOf(host.session.events, "ERROR")).toMatchObject([{ code: "AGENT_TURN_FAILED" }]);
});

/** A store whose disk is full from the first event of this type on. */
class FullStore extends MemorySessionStore {
  readonly type: EventType;

  constructor(type: EventType) {
    super();
    this.type = type;
  }

  override async create(...args: Parameters<MemorySessionStore["create"]>): Promise<OpenedSession> {
    const opened = await super.create(...args);
    const append = opened.append.bind(opened);
    opened.append = (events: readonly SessionEvent[]) =>
      events.some(({ type }) => type === this.type)
        ? Promise.reject(agentError("AGENT_STORE_FAILED", "the disk is full"))
        : append(events);
    return opened;
  }
}

test.each<[EventType, number]>([
  ["USER_MESSAGE", 0],
  ["TOOL_CALL", 0],
  ["APPROVAL_DECIDED", 0],
  ["TOOL_RESULT", 1],
])("a store that fails at %s ends the turn, and no call runs unlogged", async (type, runs) => {
  let ran = 0;
  await using host = await testAgent({
    steps: [look, { text: "never" }],
    tools: [toolOf("look", () => ((ran += 1), answers("red")()))],
    agent: { store: new FullStore(type) },
  });
  expect(await failureOf(host.prompt("go"))).toMatchObject({ code: "AGENT_STORE_FAILED" });
  expect(ran).toBe(runs);
  expect(typesOf(host.session.events)).not.toContain("ERROR");
  expect(host.session.busy).toBe(false);
});

test("an empty prompt, an unknown block and a closed session are refused before anything is logged", async () => {
  await using host = await testAgent();
  const { runtime } = host.agent;
  const before = host.session.events.length;
  for (const prompt of [[], [{ type: "text", text: " \n" }], [{ type: "video" }]]) {
    const error = await failureOf(runtime.runPrompt(host.session, prompt as never));
    expect(error.code).toBe("AGENT_PROMPT_INVALID");
  }
  expect(host.session.events).toHaveLength(before);
  await host.session.close();
  expect(await failureOf(host.prompt("go"))).toMatchObject({ code: "AGENT_SESSION_CLOSED" });
});

test("a prompt holds up to 12 MiB of text", async () => {
  await using host = await testAgent({ steps: [{ text: "never" }] });
  const { runtime } = host.agent;
  const bytes = 12 * 1024 * 1024;
  const longest = await runtime.runPrompt(host.session, [textBlock("ü".repeat(bytes / 2))]);
  expect(longest.blocked?.reason).toBe("context_full");
  const before = host.session.events.length;
  const error = await failureOf(
    runtime.runPrompt(host.session, [textBlock("a".repeat(bytes + 1))]),
  );
  expect(error.code).toBe("AGENT_PROMPT_INVALID");
  expect(error.message).toContain("at most 12 MiB");
  expect(host.session.events).toHaveLength(before);
});

test("files that a prompt names with @ are attached; one that may not be read refuses the prompt", async () => {
  await using host = await testAgent({
    steps: [{ text: "seen", expect: { lastUserIncludes: "the content" } }],
  });
  await writeFile(join(host.cwd, "notes.txt"), "the content");
  await writeFile(join(host.cwd, ".env"), "KEY=1");
  await host.prompt("read @notes.txt");
  expect(payloadsOf(host.session.events, "USER_MESSAGE")[0]?.content).toMatchObject([
    { type: "text", text: "read @notes.txt" },
    { type: "resource", text: "the content" },
  ]);
  const before = host.session.events.length;
  expect(await failureOf(host.prompt("read @.env"))).toMatchObject({
    code: "AGENT_PROMPT_INVALID",
  });
  expect(host.session.events).toHaveLength(before);
});

test("a file that cannot be kept for undo is not changed, and the failure is one of the store", async () => {
  class NoImages extends MemorySessionStore {
    override async create(
      ...args: Parameters<MemorySessionStore["create"]>
    ): Promise<OpenedSession> {
      const opened = await super.create(...args);
      opened.saveBeforeImage = () =>
        Promise.reject(agentError("AGENT_STORE_FAILED", "the disk is full"));
      return opened;
    }
  }
  await using host = await testAgent({
    steps: [
      { toolCalls: [{ tool: "write_file", input: { path: "a.txt", content: "x" } }] },
      { text: "pity" },
    ],
    agent: { store: new NoImages() },
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "pity" });
  expect(payloadsOf(host.session.events, "TOOL_RESULT")).toMatchObject([{ status: "failed" }]);
  await expect(readFile(join(host.cwd, "a.txt"))).rejects.toThrow("ENOENT");
  expect(payloadsOf(host.session.events, "ERROR")).toMatchObject([
    { code: "AGENT_STORE_FAILED", source: "store" },
  ]);
});
