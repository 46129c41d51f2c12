import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelServer, WireName } from "../../src/index.ts";

export const API_KEY = "sk-loopback-canary-0123456789abcdef";

/** A provider package in front of one wire. */
export interface Subject {
  readonly wire: WireName;
  readonly model: string;
  /** Settings that every call gets. */
  readonly options: SharedV3ProviderOptions;
  create(baseURL: string, model: string, apiKey?: string): LanguageModelV3;
}

export const SUBJECTS: readonly Subject[] = [
  {
    wire: "openai-responses",
    model: "gpt-5.1",
    // What an agent sends that keeps its own history: nothing stored, reasoning comes back encrypted.
    options: { openai: { store: false } },
    create: (baseURL, model, apiKey = API_KEY) =>
      createOpenAI({ baseURL, apiKey }).responses(model),
  },
  {
    wire: "openai-chat",
    model: "gpt-4.1",
    options: {},
    create: (baseURL, model, apiKey = API_KEY) => createOpenAI({ baseURL, apiKey }).chat(model),
  },
  {
    wire: "openai-compatible",
    model: "qwen3:8b",
    options: {},
    create: (baseURL, model, apiKey = API_KEY) =>
      createOpenAICompatible({
        name: "local",
        baseURL,
        apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(model),
  },
  {
    wire: "anthropic",
    model: "claude-sonnet-4-5",
    options: {},
    create: (baseURL, model, apiKey = API_KEY) => createAnthropic({ baseURL, apiKey })(model),
  },
  {
    wire: "google",
    model: "gemini-3-pro-preview",
    options: {},
    create: (baseURL, model, apiKey = API_KEY) =>
      createGoogleGenerativeAI({ baseURL, apiKey })(model),
  },
];

export const MODES = ["generate", "stream"] as const;
export type Mode = (typeof MODES)[number];

export function modelFor(subject: Subject, server: ModelServer, name?: string): LanguageModelV3 {
  return subject.create(server.baseUrl, name ?? subject.model);
}

export type Prompt = LanguageModelV3CallOptions["prompt"];

export function ask(text: string): Prompt {
  return [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text }] },
  ];
}
