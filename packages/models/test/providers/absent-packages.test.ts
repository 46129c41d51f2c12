import type { LanguageModelV3CallOptions, LanguageModelV3GenerateResult } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { resolveModel } from "../../src/index.ts";
import { ask } from "../support/wires.ts";

const PROJECT = { VERTEXAI_PROJECT: "my-project", VERTEXAI_LOCATION: "europe-west4" };

/** What a package that is not installed here is asked for, up to its call. */
interface Asked {
  entry?: string;
  factory?: string;
  settings?: Readonly<Record<string, unknown>>;
  /** How the model was made: the provider called, or a method of it. */
  made?: string;
  call?: LanguageModelV3CallOptions;
}

const ANSWER: LanguageModelV3GenerateResult = {
  content: [{ type: "text", text: "here" }],
  finishReason: { unified: "stop", raw: "stop" },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  },
  warnings: [],
};

function recordingPackage(asked: Asked, factories: readonly string[]): Record<string, unknown> {
  const make = (how: string) => (model: string) => {
    asked.made = `${how}(${model})`;
    return {
      specificationVersion: "v3",
      supportedUrls: {},
      doGenerate: (call: LanguageModelV3CallOptions) => {
        asked.call = call;
        return Promise.resolve(ANSWER);
      },
    };
  };
  const create = (factory: string) => (settings: Asked["settings"] & object) => {
    Object.assign(asked, { factory, settings });
    return Object.assign(make("provider"), { chat: make("chat"), responses: make("responses") });
  };
  return Object.fromEntries(factories.map((name) => [name, create(name)]));
}

test.each([
  {
    what: "Gemini in a project",
    id: "vertex_ai/gemini-2.5-pro",
    env: { ...PROJECT, VERTEX_AI_BASE_URL: "https://gateway.example/vertex/" },
    entry: "@ai-sdk/google-vertex",
    factory: "createVertex",
    settings: {
      project: "my-project",
      location: "europe-west4",
      baseURL: "https://gateway.example/vertex",
    },
    made: "provider(gemini-2.5-pro)",
    marks: undefined,
  },
  {
    what: "Gemini with a key of the express mode",
    id: "vertex_ai/gemini-2.5-flash",
    env: { ...PROJECT, GOOGLE_VERTEX_API_KEY: "express-key-0123" },
    entry: "@ai-sdk/google-vertex",
    factory: "createVertex",
    settings: { apiKey: "express-key-0123" },
    made: "provider(gemini-2.5-flash)",
    marks: undefined,
  },
  {
    what: "Claude in a project, whatever the key",
    id: "vertex_ai/claude-haiku-4-5@20251001",
    env: { GOOGLE_CLOUD_PROJECT: "my-project", GOOGLE_VERTEX_API_KEY: "express-key-0123" },
    entry: "@ai-sdk/google-vertex/anthropic",
    factory: "createVertexAnthropic",
    settings: { project: "my-project", location: "us-central1" },
    made: "provider(claude-haiku-4-5@20251001)",
    marks: { anthropic: { cacheControl: { type: "ephemeral" } } },
  },
  {
    what: "OpenRouter",
    id: "openrouter/anthropic/claude-sonnet-4.5",
    env: { OPENROUTER_API_KEY: "router-key-0123" },
    entry: "@openrouter/ai-sdk-provider",
    factory: "createOpenRouter",
    settings: { apiKey: "router-key-0123", baseURL: "https://openrouter.ai/api/v1" },
    made: "chat(anthropic/claude-sonnet-4.5)",
    marks: { openrouter: { cacheControl: { type: "ephemeral" } } },
  },
])("$what: factory, settings, model and call", async ({ id, env, marks, ...expected }) => {
  const asked: Asked = {};
  const factories = ["createVertex", "createVertexAnthropic", "createOpenRouter"];
  const model = await resolveModel(id, {
    env,
    loadPackage: (entry) => {
      asked.entry = entry;
      return Promise.resolve(recordingPackage(asked, factories));
    },
  });
  expect((await model.generate({ messages: ask("hi") })).text).toBe("here");
  const { call, ...made } = asked;
  const settings = { ...expected.settings, fetch: expect.any(Function) as unknown };
  const { what: _what, ...rest } = { ...expected, settings };
  expect(made).toEqual(rest);
  expect(call?.prompt[0]?.providerOptions).toEqual(marks);
});
