import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import type { ModelMessages } from "../../src/index.ts";
import { ask, CANARY, collect, modelAt, serve, SUBJECTS } from "../support/wires.ts";

const TOOLS: LanguageModelV3FunctionTool[] = ["read_file", "list_files"].map((name) => ({
  type: "function",
  name,
  description: `The tool ${name}`,
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
}));

const USAGE = { input: 120, output: 40, cachedInput: 100, reasoning: 8 };

describe.each(SUBJECTS)("answers of the wire $wire", (subject) => {
  test("text, usage with cached and reasoning tokens, and what was asked", async () => {
    await using server = await serve(subject, [{ text: "All right.", usage: USAGE }]);
    const model = await modelAt(subject, server);
    const reply = await model.generate({ messages: ask("Is it?"), temperature: 0 });
    expect(reply).toMatchObject({
      text: "All right.",
      toolCalls: [],
      finishReason: "stop",
      usage: { inputTokens: 120, outputTokens: 40, cachedInputTokens: 100 },
    });
    if (subject.wire !== "anthropic") expect(reply.usage.reasoningTokens).toBe(8);
    const [call] = server.calls;
    expect(call).toMatchObject({
      stream: false,
      system: "Be brief.",
      messages: [{ role: "user", parts: [{ type: "text", text: "Is it?" }] }],
      responseFormat: { type: "text" },
    });
    expect(server.requests[0]?.key).toBe("right");
  });

  test("an output limit is always sent, the caller's or one that fits the model", async () => {
    await using server = await serve(subject, [{ text: "a" }, { text: "b" }]);
    const model = await modelAt(subject, server);
    await model.generate({ messages: ask("hi") });
    await model.generate({ messages: ask("hi"), maxOutputTokens: 77 });
    const [first, second] = server.calls.map(({ maxOutputTokens }) => maxOutputTokens);
    expect(first).toBeGreaterThanOrEqual(4_096);
    expect(first).toBeLessThanOrEqual(32_768);
    expect(second).toBe(77);
  });

  test("a stream: deltas that add up, one finish at the end, usage in it", async () => {
    const text = "A longer text that has to come in several pieces, with ümlauts and 𝕊urrogates.";
    await using server = await serve(subject, [{ text, usage: USAGE, chunkSize: 7 }]);
    const model = await modelAt(subject, server);
    const parts = await collect(model.stream({ messages: ask("hi") }));
    const deltas = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []));
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.join("")).toBe(text);
    expect(parts.filter(({ type }) => type === "finish")).toHaveLength(1);
    expect(parts.at(-1)).toMatchObject({
      type: "finish",
      finishReason: { unified: "stop" },
      usage: {
        inputTokens: { total: 120, cacheRead: 100 },
        outputTokens: { total: 40 },
      },
    });
    expect(parts.filter(({ type }) => type === "error")).toEqual([]);
  });

  test("parallel tool calls whose arguments come in pieces, and their results on the way back", async () => {
    const inputs = [{ path: 'a "quoted" name.txt' }, { path: "ordner/ü.txt" }];
    const toolCalls = inputs.map((input, index) => ({
      name: TOOLS[index]?.name ?? "",
      input,
      splitArguments: 5,
    }));
    await using server = await serve(subject, [{ toolCalls }, { toolCalls }, { text: "done" }]);
    const model = await modelAt(subject, server);
    const parts = await collect(model.stream({ messages: ask("hi"), tools: TOOLS }));
    const streamed = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
    expect(streamed.map(({ input }) => JSON.parse(input) as unknown)).toEqual(inputs);
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls" } });

    const { toolCalls: whole, finishReason } = await model.generate({
      messages: ask("hi"),
      tools: TOOLS,
    });
    expect(finishReason).toBe("tool-calls");
    expect(whole.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(whole.map(({ input }) => JSON.parse(input) as unknown)).toEqual(inputs);

    const reply = await model.generate({ messages: withResults(streamed), tools: TOOLS });
    expect(reply.text).toBe("done");
    expect(server.calls[2]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
    ]);
  });

  test("reasoning is told apart from the answer", async () => {
    const step = { reasoning: { text: "First think." }, text: "Then answer." };
    await using server = await serve(subject, [step, step]);
    const model = await modelAt(subject, server);
    const reply = await model.generate({ messages: ask("hi") });
    const parts = await collect(model.stream({ messages: ask("hi") }));
    const streamed = parts.flatMap((part) => (part.type === "reasoning-delta" ? [part.delta] : []));
    expect(reply.text).toBe("Then answer.");
    // Chat Completions of OpenAI keep their reasoning to themselves.
    const heard = subject.wire === "openai-chat" ? "" : "First think.";
    expect(reply.reasoning ?? "").toBe(heard);
    expect(streamed.join("")).toBe(heard);
  });

  test.each([
    ["length", "length"],
    ["content-filter", "content-filter"],
  ] as const)(
    "the finish %s of an answer that said something is a value",
    async (finish, expected) => {
      await using server = await serve(subject, [{ text: "Half an ans", finish }]);
      const model = await modelAt(subject, server);
      const reply = await model.generate({ messages: ask("hi") });
      expect(reply).toMatchObject({ text: "Half an ans", finishReason: expected });
    },
  );

  test("a model shows no key, however it is printed", async () => {
    await using server = await serve(subject, [{ text: "a" }]);
    const model = await modelAt(subject, server);
    await model.generate({ messages: ask("hi") });
    const printed = inspect(model, { depth: 10, showHidden: true, getters: true });
    expect(printed + JSON.stringify(model)).not.toContain(CANARY);
  });

  test("no key in the recorded requests, our notes not on the wire", async () => {
    await using server = await serve(subject, [{ text: "a" }]);
    const model = await modelAt(subject, server);
    await model.generate({ messages: ask("hi"), note: { session: "note-canary", phase: "p" } });
    const sent = JSON.stringify(server.requests);
    expect(sent).not.toContain("note-canary");
    expect(sent).not.toContain("acumen");
    expect(sent).not.toContain(CANARY);
  });
});

function withResults(
  calls: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: string;
    readonly providerMetadata?: object;
  }[],
): ModelMessages {
  return [
    ...ask("hi"),
    {
      role: "assistant",
      content: calls.map(({ toolCallId, toolName, input, providerMetadata }) => ({
        type: "tool-call",
        toolCallId,
        toolName,
        input: JSON.parse(input) as unknown,
        ...(providerMetadata !== undefined && { providerOptions: providerMetadata as never }),
      })),
    },
    {
      role: "tool",
      content: calls.map(({ toolCallId, toolName }) => ({
        type: "tool-result",
        toolCallId,
        toolName,
        output: { type: "text", value: "a result" },
      })),
    },
  ];
}
