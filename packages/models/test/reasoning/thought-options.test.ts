import type { WireName } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import type { ModelMessages, ThoughtLevel } from "../../src/index.ts";
import {
  ask,
  collect,
  failureOf,
  modelAt,
  serve,
  type Subject,
  SUBJECTS,
} from "../support/wires.ts";

function subject(wire: WireName, id: string): Subject {
  const found = SUBJECTS.find((one) => one.wire === wire);
  if (found === undefined) throw new Error(`no wire ${wire}`);
  return { ...found, id };
}

/** What tells a level, wherever a wire has it. */
function thoughtsIn(body: Readonly<Record<string, unknown>> | undefined): object {
  const { reasoning, reasoning_effort, thinking, output_config, generationConfig } = body ?? {};
  const { thinkingConfig } = (generationConfig ?? {}) as { thinkingConfig?: unknown };
  const found = { reasoning, reasoning_effort, thinking, output_config, thinkingConfig };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

const SUMMARIZED = { type: "adaptive", display: "summarized" };

const CASES: readonly (readonly [WireName, string, ThoughtLevel, object])[] = [
  ["openai-responses", "openai/responses/gpt-5.1", "high", { reasoning: { effort: "high" } }],
  ["openai-responses", "openai/responses/gpt-5.1", "none", { reasoning: { effort: "none" } }],
  ["openai-responses", "openai/responses/gpt-6-sol", "max", { reasoning: { effort: "max" } }],
  ["openai-chat", "openai/chat/gpt-5-mini", "minimal", { reasoning_effort: "minimal" }],
  ["openai-compatible", "openai_compatible/gpt-oss-20b", "low", { reasoning_effort: "low" }],
  [
    "anthropic",
    "claude-sonnet-4-5",
    "medium",
    { thinking: { type: "enabled", budget_tokens: 12_288 } },
  ],
  ["anthropic", "claude-sonnet-4-5", "none", { thinking: { type: "disabled" } }],
  [
    "anthropic",
    "claude-opus-4-6",
    "max",
    { thinking: SUMMARIZED, output_config: { effort: "max" } },
  ],
  [
    "anthropic",
    "claude-opus-5-5",
    "low",
    { thinking: SUMMARIZED, output_config: { effort: "low" } },
  ],
  [
    "google",
    "gemini/gemini-3-pro-preview",
    "low",
    { thinkingConfig: { thinkingLevel: "low", includeThoughts: true } },
  ],
  [
    "google",
    "gemini/gemini-2.5-flash",
    "high",
    { thinkingConfig: { thinkingBudget: 24_576, includeThoughts: true } },
  ],
  [
    "google",
    "gemini/gemini-2.5-flash",
    "none",
    { thinkingConfig: { thinkingBudget: 0, includeThoughts: false } },
  ],
];

describe("a thought level on the wire", () => {
  test.each(CASES)("%s: %s thinks %s", async (wire, id, thoughtLevel, sent) => {
    const one = subject(wire, id);
    await using server = await serve(one, [{ text: "a" }, { text: "b" }, { text: "c" }]);
    const model = await modelAt(one, server);
    expect(model.capabilities.thoughtLevels).toContain(thoughtLevel);
    await model.generate({ messages: ask("hi"), thoughtLevel });
    await collect(model.stream({ messages: ask("hi"), thoughtLevel }));
    await model.generate({ messages: ask("hi") });
    const [whole, streamed, without] = server.requests.map(({ body }) => thoughtsIn(body));
    expect(whole).toEqual(sent);
    expect(streamed).toEqual(sent);
    expect(without).toEqual({});
    expect(JSON.stringify(server.requests)).not.toContain("thoughtLevel");
  });

  test("one that the model does not have is an error that names those it has, and nothing is sent", async () => {
    const one = subject("openai-responses", "openai/responses/gpt-5.1");
    await using server = await serve(one, [{ text: "a" }]);
    const model = await modelAt(one, server);
    const request = { messages: ask("hi"), thoughtLevel: "max" } as const;
    const wanted = {
      code: "MODEL_FAILED",
      details: { kind: "bad_request" },
      message: expect.stringContaining("none, low, medium, high") as string,
    };
    expect(await failureOf(model.generate(request))).toMatchObject(wanted);
    expect(await failureOf(collect(model.stream(request)))).toMatchObject(wanted);
    expect(server.requests).toEqual([]);
  });

  test("a model without levels takes none", async () => {
    const one = subject("openai-chat", "gpt-4.1");
    await using server = await serve(one, [{ text: "a" }]);
    const model = await modelAt(one, server);
    expect(model.capabilities).not.toHaveProperty("thoughtLevels");
    expect(
      await failureOf(model.generate({ messages: ask("hi"), thoughtLevel: "low" })),
    ).toMatchObject({ message: expect.stringContaining("No thought level") as string });
    expect(server.requests).toEqual([]);
  });
});

describe("the budget of Claude models up to 4.5", () => {
  const claude = subject("anthropic", "claude-sonnet-4-5");
  const tools = [
    {
      type: "function" as const,
      name: "look",
      inputSchema: { type: "object" as const, properties: {}, additionalProperties: false },
    },
  ];
  const called = { toolCalls: [{ name: "look", input: {} }] };

  test("comes on top of a limit of the caller, stands within the usual one, and stays below the model's", async () => {
    await using server = await serve(claude, [{ text: "a" }, { text: "b" }, { text: "c" }]);
    const model = await modelAt(claude, server);
    const thoughtLevel = "high";
    await model.generate({ messages: ask("hi"), thoughtLevel });
    await model.generate({ messages: ask("hi"), thoughtLevel, maxOutputTokens: 100 });
    await model.generate({ messages: ask("hi"), thoughtLevel, maxOutputTokens: 64_000 });
    expect(server.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([
      32_768, 24_676, 64_000,
    ]);
  });

  /** The messages of a step that called a tool, as they go back with its result. */
  async function afterCall(
    model: Awaited<ReturnType<typeof modelAt>>,
    thoughtLevel?: ThoughtLevel,
  ): Promise<ModelMessages> {
    const parts = await collect(
      model.stream({ messages: ask("hi"), tools, ...(thoughtLevel && { thoughtLevel }) }),
    );
    const thoughts = parts.flatMap((part) => (part.type === "reasoning-delta" ? [part] : []));
    const signed = thoughts.findLast(({ providerMetadata }) => providerMetadata !== undefined);
    const text = thoughts.map(({ delta }) => delta).join("");
    const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
    return [
      ...ask("hi"),
      {
        role: "assistant",
        content: [
          ...(text === ""
            ? []
            : [
                {
                  type: "reasoning" as const,
                  text,
                  ...(signed?.providerMetadata && { providerOptions: signed.providerMetadata }),
                },
              ]),
          ...calls.map(({ toolCallId, toolName }) => ({
            type: "tool-call" as const,
            toolCallId,
            toolName,
            input: {},
          })),
        ],
      },
      {
        role: "tool",
        content: calls.map(({ toolCallId, toolName }) => ({
          type: "tool-result" as const,
          toolCallId,
          toolName,
          output: { type: "text" as const, value: "seen" },
        })),
      },
    ];
  }

  test("goes on behind a call whose signed thoughts come back", async () => {
    const thoughtful = { reasoning: { text: "I look first." }, ...called };
    await using server = await serve(claude, [thoughtful, { text: "done" }]);
    const model = await modelAt(claude, server);
    const messages = await afterCall(model, "low");
    await model.generate({ messages, tools, thoughtLevel: "low" });
    expect(server.requests.map(({ status }) => status)).toEqual([200, 200]);
    expect(thoughtsIn(server.requests[1]?.body)).toEqual({
      thinking: { type: "enabled", budget_tokens: 4_096 },
    });
    expect(JSON.stringify(server.requests[1]?.body)).toContain('"thinking":"I look first."');
  });

  test("does not begin behind the results of a call without thoughts, which the service would refuse", async () => {
    await using server = await serve(claude, [called, { text: "done" }, { text: "again" }]);
    const model = await modelAt(claude, server);
    const messages = await afterCall(model);
    const thoughtLevel = "low";
    await model.generate({ messages, tools, thoughtLevel });
    const later: ModelMessages = [
      ...messages,
      { role: "assistant", content: [{ type: "text", text: "done" }] },
      { role: "user", content: [{ type: "text", text: "and now?" }] },
    ];
    await model.generate({ messages: later, tools, thoughtLevel });
    const sent = server.requests.map(({ body, status }) => [status, thoughtsIn(body)]);
    expect(sent).toEqual([
      [200, {}],
      [200, {}],
      [200, { thinking: { type: "enabled", budget_tokens: 4_096 } }],
    ]);
  });
});
