import { AcumenError } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { MODEL_FAILURE_KINDS, type ModelMessages, resolveModel } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { ask, collect, failureOf } from "../support/wires.ts";

const FAST = { retry: { baseMs: 1, maxMs: 1 } };

async function textOf(work: Promise<{ text: string }>): Promise<string> {
  return (await work).text;
}

describe("a script as a model", () => {
  test("steps are consumed in order, streamed in chunks, with reasoning, tool calls, finish and usage", async () => {
    const model = createScriptedModel({
      contextWindow: 1_000,
      steps: [
        {
          reasoning: "think",
          text: "abcdefgh",
          chunkSize: 3,
          toolCalls: [
            { tool: "read", input: { path: "x" } },
            { id: "mine", tool: "list", input: {} },
          ],
          usage: { inputTokens: 7, outputTokens: 5 },
        },
        { text: "cut", finish: "length" },
      ],
    });
    expect(model.capabilities.contextWindow).toBe(1_000);
    const parts = await collect(model.stream({ messages: ask("hi") }));
    const deltas = (type: string): string[] =>
      parts.flatMap((part) => (part.type === type && "delta" in part ? [part.delta] : []));
    expect(deltas("reasoning-delta")).toEqual(["thi", "nk"]);
    expect(deltas("text-delta")).toEqual(["abc", "def", "gh"]);
    expect(parts.filter(({ type }) => type === "tool-call")).toEqual([
      { type: "tool-call", toolCallId: "call_1", toolName: "read", input: '{"path":"x"}' },
      { type: "tool-call", toolCallId: "mine", toolName: "list", input: "{}" },
    ]);
    expect(parts.at(-1)).toMatchObject({
      type: "finish",
      finishReason: { unified: "tool-calls" },
      usage: { inputTokens: { total: 7 }, outputTokens: { total: 5 } },
    });
    expect(await model.generate({ messages: ask("hi") })).toMatchObject({
      text: "cut",
      finishReason: "length",
    });
    expect(model.calls).toHaveLength(2);
  });

  test("default chunks of 16 characters, and no half characters", async () => {
    const model = createScriptedModel({ steps: [{ text: "𝕊".repeat(20) }] });
    const parts = await collect(model.stream({ messages: ask("hi") }));
    const deltas = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []));
    expect(deltas).toEqual(["𝕊".repeat(16), "𝕊".repeat(4)]);
  });

  test("ids of tool calls go on after those of the conversation", async () => {
    const model = createScriptedModel({ steps: [{ toolCalls: [{ tool: "read", input: {} }] }] });
    const messages: ModelMessages = [
      ...ask("hi"),
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "call_7", toolName: "read", input: {} }],
      },
    ];
    const { toolCalls } = await model.generate({ messages });
    expect(toolCalls.map(({ id }) => id)).toEqual(["call_8"]);
  });

  test("steps are counted per session", async () => {
    const model = createScriptedModel({ steps: [{ text: "one" }, { text: "two" }] });
    const call = (session: string): Promise<string> =>
      textOf(model.generate({ messages: ask("hi"), note: { session } }));
    expect(await Promise.all([call("a"), call("b")])).toEqual(["one", "one"]);
    expect(await call("a")).toBe("two");
    expect(await call("b")).toBe("two");
  });

  test("phases have steps of their own; a phase tried again in a new session begins anew", async () => {
    const phases = {
      strategize: { steps: [{ text: "s1" }] },
      execute: { steps: [{ text: "e1" }, { text: "e2" }] },
    };
    const model = createScriptedModel({ phases });
    const call = (session: string, phase: string): Promise<string> =>
      textOf(model.generate({ messages: ask("hi"), note: { session, phase } }));
    expect(await call("1", "strategize")).toBe("s1");
    expect(await call("1", "execute")).toBe("e1");
    expect(await call("1", "execute")).toBe("e2");
    expect(await call("2", "execute")).toBe("e1");
    const failure = await failureOf(call("1", "review"));
    expect(failure).toMatchObject({ code: "MODEL_SCRIPT_MISMATCH", details: { actual: "review" } });
    expect(String(failure)).toContain("strategize, execute");
  });

  test("a new run of a phase in the same session begins at its first step", async () => {
    const execute = { steps: [{ text: "e1" }, { text: "e2" }] };
    const model = createScriptedModel({ phases: { execute } });
    const call = (run?: number): Promise<string> => {
      const note = { session: "1", phase: "execute", ...(run !== undefined && { run }) };
      return textOf(model.generate({ messages: ask("hi"), note }));
    };
    expect([await call(), await call(1), await call(2), await call(2)]).toEqual([
      "e1",
      "e2",
      "e1",
      "e2",
    ]);
  });

  test("steps without phases go on whatever phase asks", async () => {
    const model = createScriptedModel({ steps: [{ text: "one" }, { text: "two" }] });
    const call = (phase: string, run: number): Promise<string> =>
      textOf(model.generate({ messages: ask("hi"), note: { session: "1", phase, run } }));
    expect(await call("strategize", 1)).toBe("one");
    expect(await call("execute", 2)).toBe("two");
  });

  test.each(["generate", "stream"] as const)(
    "the wait before each delta counts for the input of a tool call too: %s",
    async (way) => {
      vi.useFakeTimers();
      try {
        const toolCalls = [{ tool: "t", input: "12345678" }];
        const model = createScriptedModel({ steps: [{ toolCalls, chunkSize: 5, delayMs: 1_000 }] });
        const messages = ask("hi");
        let isDone = false;
        const work =
          way === "generate" ? model.generate({ messages }) : collect(model.stream({ messages }));
        const done = work.then(() => (isDone = true));
        await vi.advanceTimersByTimeAsync(1_999);
        expect(isDone).toBe(false);
        await vi.advanceTimersByTimeAsync(1);
        await done;
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test("after the last step: an error that shows what was asked, or the last step again", async () => {
    const model = createScriptedModel({ steps: [{ text: "one" }] });
    await model.generate({ messages: ask("hi") });
    expect(await failureOf(model.generate({ messages: ask("surplus question") }))).toMatchObject({
      code: "MODEL_SCRIPT_MISMATCH",
      retryable: false,
      details: { expected: "no call after its 1 steps", actual: "call 2: surplus question" },
    });
    const patient = createScriptedModel({
      steps: [{ text: "one" }, { text: "last" }],
      repeatLast: true,
    });
    const texts = [];
    for (let call = 0; call < 4; call += 1)
      texts.push(await textOf(patient.generate({ messages: ask("hi") })));
    expect(texts).toEqual(["one", "last", "last", "last"]);
  });

  test("a summary for compaction consumes no step, unless the next step is for it", async () => {
    const model = createScriptedModel({
      steps: [{ text: "one" }, { text: "my summary", for: "compaction" }, { text: "two" }],
    });
    const note = { purpose: "compaction" as const };
    const call = (): Promise<string> => textOf(model.generate({ messages: ask("hi") }));
    const compact = (): Promise<string> => textOf(model.generate({ messages: ask("hi"), note }));
    const fixed = await compact();
    expect(await compact()).toBe(fixed);
    expect(await call()).toBe("one");
    const failure = await failureOf(call());
    expect(failure).toMatchObject({ code: "MODEL_SCRIPT_MISMATCH" });
    expect(await compact()).toBe("my summary");
    expect(await call()).toBe("two");
  });
});

describe("scripted errors", () => {
  test("times: the step fails that often and then succeeds, through the retries", async () => {
    const error = { kind: "rate_limit", message: "slow down", retryAfterMs: 1, times: 2 };
    const model = createScriptedModel(
      { steps: [{ error, text: "at last" }, { text: "next" }] },
      FAST,
    );
    const delays: number[] = [];
    const reply = await model.generate({
      messages: ask("hi"),
      onRetry: ({ delayMs }) => delays.push(delayMs),
    });
    expect(reply.text).toBe("at last");
    expect(delays).toEqual([1, 1]);
    expect(await textOf(model.generate({ messages: ask("hi") }))).toBe("next");
  });

  test("times over several calls when the retries do not suffice", async () => {
    const error = { kind: "unavailable", message: "down", times: 3 };
    const model = createScriptedModel(
      { steps: [{ error, text: "up" }] },
      { retry: { attempts: 1 } },
    );
    for (let call = 0; call < 3; call += 1) {
      expect(await failureOf(model.generate({ messages: ask("hi") }))).toMatchObject({
        details: { kind: "unavailable" },
      });
    }
    expect(await textOf(model.generate({ messages: ask("hi") }))).toBe("up");
  });

  test("without times the call fails for good, and the next call gets the next step", async () => {
    const error = { kind: "unavailable", message: "down" };
    const model = createScriptedModel({ steps: [{ error }, { error }, { text: "next" }] }, FAST);
    for (let call = 0; call < 2; call += 1)
      await failureOf(model.generate({ messages: ask("hi") }));
    expect(model.calls).toHaveLength(8);
    expect(await textOf(model.generate({ messages: ask("hi") }))).toBe("next");
  });

  test.each(MODEL_FAILURE_KINDS)("kind %s, for a stream and for a whole answer", async (kind) => {
    const steps = [{ error: { kind, message: `it is ${kind}` } }];
    const retry = { attempts: 1 };
    for (const streamed of [true, false]) {
      const model = createScriptedModel({ steps }, { retry });
      const messages = ask("hi");
      const work = streamed ? collect(model.stream({ messages })) : model.generate({ messages });
      const retryable = ["rate_limit", "timeout", "unavailable"].includes(kind);
      expect(await failureOf(work)).toMatchObject({
        code: "MODEL_FAILED",
        message: `it is ${kind}`,
        details: { provider: "scripted", kind, retryable },
      });
    }
  });
});

describe("expectations", () => {
  const messages: ModelMessages = [
    { role: "system", content: "You are careful." },
    { role: "user", content: [{ type: "text", text: "read the file notes.txt" }] },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "1", toolName: "read", input: {} }],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "1",
          toolName: "read",
          output: { type: "text", value: "42 lines" },
        },
        {
          type: "tool-result",
          toolCallId: "2",
          toolName: "list",
          output: { type: "json", value: { files: 3 } },
        },
      ],
    },
  ];
  const tools = [
    { type: "function" as const, name: "read", inputSchema: { type: "object" as const } },
  ];

  test("that hold", async () => {
    const expected = {
      lastUserIncludes: "notes.txt",
      toolResultIncludes: ["42 lines", '"files":3'],
      toolsInclude: ["read"],
      systemIncludes: "careful",
    };
    const model = createScriptedModel({ steps: [{ text: "fine", expect: expected }] });
    expect(await textOf(model.generate({ messages, tools }))).toBe("fine");
  });

  test.each([
    ["lastUserIncludes", "other.txt", "read the file notes.txt"],
    ["toolResultIncludes", "43 lines", "42 lines"],
    ["toolsInclude", "rea", "read"],
    ["systemIncludes", "careless", "You are careful."],
  ])(
    "%s that fails shows expected and actual, and consumes nothing",
    async (field, expected, actual) => {
      const model = createScriptedModel({
        steps: [{ text: "x", expect: { [field]: [expected] } }],
      });
      const failure = await failureOf(model.generate({ messages, tools }));
      if (!AcumenError.isInstance(failure)) throw failure;
      expect(failure.code).toBe("MODEL_SCRIPT_MISMATCH");
      expect(failure.message).toContain(field);
      expect(failure.message).toContain(expected);
      expect(failure.message).toContain(actual);
      expect(failure.details).toMatchObject({ expected, kind: "bad_request", retryable: false });
      expect(await failureOf(model.generate({ messages, tools }))).toMatchObject({
        message: failure.message,
      });
    },
  );

  test("results of earlier turns do not count", async () => {
    const model = createScriptedModel({
      steps: [{ text: "x", expect: { toolResultIncludes: "42" } }],
    });
    const later: ModelMessages = [
      ...messages,
      { role: "assistant", content: [{ type: "text", text: "ok" }] },
    ];
    expect(await failureOf(model.generate({ messages: later }))).toMatchObject({
      code: "MODEL_SCRIPT_MISMATCH",
      details: { actual: "" },
    });
  });
});

describe("abort", () => {
  test.each(["generate", "stream"] as const)("ends a slow step at once, %s", async (mode) => {
    const model = createScriptedModel({
      steps: [{ text: "a long text", chunkSize: 1, delayMs: 60_000 }],
    });
    const controller = new AbortController();
    const request = { messages: ask("hi"), signal: controller.signal };
    const failure = failureOf(
      mode === "generate" ? model.generate(request) : collect(model.stream(request)),
    );
    setTimeout(() => controller.abort(), 10);
    expect(await failure).toMatchObject({ code: "CORE_ABORTED" });
  });
});

describe("script files", () => {
  test("absolute paths, and paths from the working directory of the process", async () => {
    await using folder = await tempFolder();
    const path = join(folder.path, "script.json");
    await writeFile(path, JSON.stringify({ steps: [{ text: "from a file" }] }));
    for (const id of [`scripted/${path}`, `scripted/${relative(process.cwd(), path)}`]) {
      const model = await resolveModel(id, { env: {}, allowScripted: true });
      expect(model).toMatchObject({ id, provider: "scripted" });
      expect(await textOf(model.generate({ messages: ask("hi") }))).toBe("from a file");
    }
  });

  test.each([
    ["no file", undefined, "script.json"],
    ["no JSON", "{", "not valid JSON"],
    ["no steps", "{}", "steps"],
    ["an unknown key", '{"steps": [{"txet": "typo"}]}', "txet"],
    ["a wrong type", '{"steps": [{"text": 3}]}', "steps.0.text"],
    [
      "an unknown kind",
      '{"steps": [{"error": {"kind": "bad_luck", "message": "x"}}]}',
      "steps.0.error.kind",
    ],
    ["steps and phases", '{"steps": [], "phases": {}}', "steps"],
  ])("%s: MODEL_SCRIPT_INVALID says where", async (_what, content, place) => {
    await using folder = await tempFolder();
    const path = join(folder.path, "script.json");
    if (content !== undefined) await writeFile(path, content);
    const failure = await failureOf(
      resolveModel(`scripted/${path}`, { env: {}, allowScripted: true }),
    );
    expect(failure).toMatchObject({ code: "MODEL_SCRIPT_INVALID" });
    expect(String(failure)).toContain(place);
  });

  test("a folder is no script", async () => {
    await using folder = await tempFolder();
    await mkdir(join(folder.path, "script.json"));
    const id = `scripted/${folder.path}/script.json`;
    expect(await failureOf(resolveModel(id, { env: {}, allowScripted: true }))).toMatchObject({
      code: "MODEL_SCRIPT_INVALID",
    });
  });
});
