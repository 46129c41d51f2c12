import {
  type ModelScript,
  type ModelServer,
  startModelServer,
  type WireName,
} from "@acumen/testkit";
import {
  type Model,
  type ModelMessages,
  resolveModel,
  type ResolveOptions,
} from "../../src/index.ts";

/** Searched for in everything that comes out. */
export const CANARY = "sk-loopback-canary-0123456789abcdef";

export interface Subject {
  readonly wire: WireName;
  readonly id: string;
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
}

/** The four wires (one of them twice: as OpenAI speaks it and as others imitate it). */
export const SUBJECTS: readonly Subject[] = [
  {
    wire: "openai-responses",
    id: "openai/responses/gpt-5.1",
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
  },
  {
    wire: "openai-chat",
    id: "gpt-4.1",
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_API_BASE",
  },
  {
    wire: "openai-compatible",
    id: "openai_compatible/qwen3:8b",
    keyVariable: "OPENAI_COMPATIBLE_API_KEY",
    baseUrlVariable: "OPENAI_COMPATIBLE_BASE_URL",
  },
  {
    wire: "anthropic",
    id: "claude-sonnet-4-5",
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
  },
  {
    wire: "google",
    id: "gemini/gemini-3-pro-preview",
    keyVariable: "GEMINI_API_KEY",
    baseUrlVariable: "GEMINI_BASE_URL",
  },
];

export function serve(subject: Subject, script: ModelScript): Promise<ModelServer> {
  return startModelServer({ wire: subject.wire, script, apiKey: CANARY });
}

/** Fast retries: what is waited for is tested elsewhere. */
export function modelAt(
  { id, keyVariable, baseUrlVariable }: Subject,
  { baseUrl }: ModelServer,
  options: Partial<ResolveOptions> = {},
): Promise<Model> {
  const retry = { baseMs: 1, maxMs: 2, ...options.retry };
  const env = { [keyVariable]: CANARY, [baseUrlVariable]: baseUrl, ...options.env };
  return resolveModel(id, { ...options, env, retry });
}

export function ask(text: string): ModelMessages {
  return [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text }] },
  ];
}

export async function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("the call succeeded");
}

export async function collect<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const part of parts) all.push(part);
  return all;
}
