import { startModelServer } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { PROVIDERS, resolveModel, type ThoughtLevel } from "../../src/index.ts";
import { startBedrockServer } from "../support/bedrock-server.ts";
import { ask, CANARY } from "../support/wires.ts";

const CASES: readonly (readonly [string, ThoughtLevel, object])[] = [
  ["azure/gpt-5-mini", "low", { reasoning_effort: "low" }],
  ["groq/openai/gpt-oss-20b", "medium", { reasoning_effort: "medium" }],
  ["mistral/mistral-medium-3.5", "none", { reasoning_effort: "none" }],
  ["mistral/devstral-latest", "high", { reasoning_effort: "high" }],
  ["deepseek/deepseek-v4-pro", "max", { thinking: { type: "enabled" }, reasoning_effort: "max" }],
  ["deepseek/deepseek-v4-pro", "none", { thinking: { type: "disabled" } }],
  ["perplexity/sonar-deep-research", "high", { reasoning_effort: "high" }],
  ["ollama/gpt-oss:20b", "high", { reasoning_effort: "high" }],
  ["hosted_vllm/openai/gpt-oss-120b", "low", { reasoning_effort: "low" }],
];

test.each(CASES)("%s thinks %s through its own package", async (id, thoughtLevel, sent) => {
  const row = PROVIDERS.find(({ prefix }) => id.startsWith(`${prefix}/`));
  if (row === undefined) throw new Error(id);
  await using server = await startModelServer({
    wire: "openai-compatible",
    script: [{ text: "a" }, { text: "b" }],
  });
  const env = {
    [row.keyVariables[0] ?? ""]: CANARY,
    [row.baseUrlVariables[0] ?? ""]: server.baseUrl,
  };
  const model = await resolveModel(id, { env });
  await model.generate({ messages: ask("hi"), thoughtLevel });
  await model.generate({ messages: ask("hi") });
  const told = server.requests.map(({ body }) => {
    const { reasoning_effort, thinking } = body ?? {};
    return JSON.parse(JSON.stringify({ reasoning_effort, thinking })) as unknown;
  });
  expect(told).toEqual([sent, {}]);
});

describe("Claude on Bedrock", () => {
  test.each([
    [
      "bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0",
      "low",
      { thinking: { type: "enabled", budget_tokens: 4_096 } },
    ],
    [
      "bedrock/eu.anthropic.claude-opus-4-7",
      "xhigh",
      {
        thinking: { type: "adaptive", display: "summarized" },
        output_config: { effort: "xhigh" },
      },
    ],
  ] as const)("%s thinks %s", async (id, thoughtLevel, sent) => {
    const content = [{ text: "Hello." }];
    const usage = { inputTokens: 3, outputTokens: 5, totalTokens: 8 };
    const output = { message: { role: "assistant", content } };
    const body = { output, stopReason: "end_turn", usage };
    await using server = await startBedrockServer([{ body }, { body }]);
    const env = { AWS_BEARER_TOKEN_BEDROCK: CANARY, BEDROCK_BASE_URL: server.url };
    const model = await resolveModel(id, { env });
    await model.generate({ messages: ask("hi"), thoughtLevel });
    await model.generate({ messages: ask("hi") });
    const [told, plain] = server.requests.map((request) => request.body);
    expect(told?.["additionalModelRequestFields"]).toEqual(sent);
    expect(plain).not.toHaveProperty("additionalModelRequestFields");
    // The budget stands within the usual limit.
    expect([told, plain].map((one) => one?.["inferenceConfig"])).toMatchObject([
      { maxTokens: 32_768 },
      { maxTokens: 32_768 },
    ]);
  });
});
