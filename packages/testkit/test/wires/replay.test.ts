import type { LanguageModelV3FunctionTool, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { type ModelReply, startModelServer, type WireName } from "../../src/index.ts";
import { answered, run } from "./outcome.ts";
import { API_KEY, ask, MODES, type Prompt, SUBJECTS } from "./subjects.ts";

/** Models and settings under which a service is stricter, or remembers things itself. */
const VARIANTS: readonly {
  readonly name: string;
  readonly wire: WireName;
  readonly model: string;
  readonly options: SharedV3ProviderOptions;
}[] = [
  {
    name: "stored items, sent by reference",
    wire: "openai-responses",
    model: "gpt-5.1",
    options: {},
  },
  {
    name: "a thinking budget",
    wire: "anthropic",
    model: "claude-sonnet-4-5",
    options: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
  },
  {
    name: "a model without sampling settings",
    wire: "anthropic",
    model: "claude-opus-4-8",
    options: { anthropic: { thinking: { type: "adaptive" } } },
  },
  {
    name: "calls without ids",
    wire: "google",
    model: "gemini-2.5-flash",
    options: { google: { thinkingConfig: { includeThoughts: true } } },
  },
  { name: "a signature without thoughts", wire: "google", model: "gemini-3.5-flash", options: {} },
];

const TOOL: LanguageModelV3FunctionTool = {
  type: "function",
  name: "add",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
};
const step = (a: number): ModelReply => ({
  reasoning: { text: `I have to add ${a}.` },
  text: `Adding ${a}.`,
  // The same calls in every step: only the signature tells one from another.
  toolCalls: [
    { name: "add", input: { a: 1, b: 1 } },
    { name: "add", input: { a: 7, b: 7 } },
  ],
});

describe.each(VARIANTS)("$wire with $name", ({ wire, model: name, options }) => {
  const subject = SUBJECTS.find((candidate) => candidate.wire === wire);
  it.each(MODES)("goes through three steps and a second question, %s", async (mode) => {
    await using server = await startModelServer({
      wire,
      script: [step(1), step(2), { text: "Six and eight." }, { text: "You are welcome." }],
      apiKey: API_KEY,
    });
    const model = subject?.create(server.baseUrl, name);
    if (model === undefined) throw new Error(`no provider for ${wire}`);
    const settings = { tools: [TOOL], maxOutputTokens: 500, providerOptions: options };
    let prompt = ask("add");
    for (const expected of ["Adding 1.", "Adding 2."]) {
      const outcome = await run(model, mode, { ...settings, prompt });
      expect(outcome.text).toBe(expected);
      prompt = answered(prompt, outcome, ({ input }) => `sum of ${input}`);
    }
    const last = await run(model, mode, { ...settings, prompt });
    expect(last.text).toBe("Six and eight.");
    const next: Prompt = [
      ...prompt,
      { role: "assistant", content: last.content },
      { role: "user", content: [{ type: "text", text: "thanks" }] },
    ];
    expect((await run(model, mode, { ...settings, prompt: next })).text).toBe("You are welcome.");
    expect(server.requests.map(({ refusal }) => refusal)).toEqual(Array(4).fill(undefined));
    expect(server.calls[3]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });
});
