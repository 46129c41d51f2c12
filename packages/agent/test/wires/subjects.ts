import { type Model, type ModelMessages, resolveModel } from "@acumen/models";
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
  type WireName,
} from "@acumen/testkit";
import { targetOf } from "../../src/compaction/context-size.ts";
import { conversationOf } from "../../src/conversation/conversation.ts";
import { ModelStep } from "../../src/turn/model-step.ts";
import type { LogBuilder } from "../conversation/log-builder.ts";

export interface Subject {
  readonly wire: WireName;
  readonly id: string;
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
  /** The wire hands out something that has to come back unchanged. */
  readonly signs: boolean;
}

/** The four wires; Chat Completions as OpenAI speaks it and as others imitate it. */
export const SUBJECTS: readonly Subject[] = [
  {
    wire: "openai-responses",
    id: "openai/responses/gpt-5.1",
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
    signs: true,
  },
  {
    wire: "openai-chat",
    id: "openai/chat/gpt-4.1",
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
    signs: false,
  },
  {
    wire: "openai-compatible",
    id: "openai_compatible/qwen3:8b",
    keyVariable: "OPENAI_COMPATIBLE_API_KEY",
    baseUrlVariable: "OPENAI_COMPATIBLE_BASE_URL",
    signs: false,
  },
  {
    wire: "anthropic",
    id: "claude-sonnet-4-5",
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    signs: true,
  },
  {
    wire: "google",
    id: "gemini/gemini-3.1-pro-preview",
    keyVariable: "GEMINI_API_KEY",
    baseUrlVariable: "GEMINI_BASE_URL",
    signs: true,
  },
];

export const SYSTEM = "You are an agent.";
export const TOOLS = ["bash", "read_file"].map((name) => ({
  type: "function" as const,
  name,
  description: `The tool ${name}.`,
  inputSchema: {
    type: "object" as const,
    properties: { command: { type: "string" as const } },
    required: ["command"],
  },
}));

/** A model of a subject and the service behind it. */
export interface Service extends AsyncDisposable {
  readonly model: Model;
  readonly server: ModelServer;
}

export async function serve(
  { wire, id, ...variables }: Subject,
  script: ModelScript,
): Promise<Service> {
  const server = await startModelServer({ wire, script });
  const env = { [variables.keyVariable]: "sk-test", [variables.baseUrlVariable]: server.baseUrl };
  const model = await resolveModel(id, { env, retry: { attempts: 1 } });
  return { model, server, [Symbol.asyncDispose]: () => server.close() };
}

/** One step as the turn loop takes it: the request out of the log alone, the answer into the log. */
export async function takeStep(log: LogBuilder, model: Model): Promise<ModelStep> {
  const messages = conversationOf(log.events, targetOf(model));
  log.step();
  const answer = new ModelStep(() => undefined);
  await answer.read(model.stream(requestOf(messages)));
  const made_by = { provider: model.provider, model: model.model };
  for (const { kind, text, metadata } of answer.messages) {
    log.say(text, {
      kind,
      made_by,
      ...(metadata !== undefined && { provider_metadata: copy(metadata) }),
    });
  }
  for (const { callId, exposedName, input, metadata } of answer.calls) {
    log.call(callId, exposedName, jsonOr(input), {
      made_by,
      ...(metadata !== undefined && { provider_metadata: copy(metadata) }),
    });
  }
  return answer;
}

function requestOf(messages: ModelMessages): Parameters<Model["stream"]>[0] {
  return { messages: [{ role: "system", content: SYSTEM }, ...messages], tools: TOOLS };
}

/** What a log on disk gives back. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function jsonOr(input: string): unknown {
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}
