import type { CallToolResult } from "@modelcontextprotocol/client";
import {
  lastUserText,
  type ModelServer,
  type NeutralRequest,
  type ScriptStep,
  startModelServer,
  type WireName,
} from "@acumen/testkit";
import { type ServerProcess, startServer } from "./server-process.ts";

export interface ModelWire {
  readonly name: WireName;
  /** What a user would write in ACE_MCP_DEFAULT_MODEL. */
  readonly model: string;
  readonly provider: string;
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
}

const OPENAI = {
  provider: "openai",
  keyVariable: "OPENAI_API_KEY",
  baseUrlVariable: "OPENAI_BASE_URL",
};

export const MODEL_WIRES: readonly ModelWire[] = [
  { ...OPENAI, name: "openai-responses", model: "openai/responses/gpt-4o-mini" },
  { ...OPENAI, name: "openai-chat", model: "gpt-4o-mini" },
  {
    name: "openai-compatible",
    model: "openai_compatible/llama-3.2",
    provider: "openai_compatible",
    keyVariable: "OPENAI_COMPATIBLE_API_KEY",
    baseUrlVariable: "OPENAI_COMPATIBLE_BASE_URL",
  },
  {
    name: "anthropic",
    model: "anthropic/claude-sonnet-4-5",
    provider: "anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
  },
  {
    name: "google",
    model: "gemini/gemini-2.5-flash",
    provider: "gemini",
    keyVariable: "GEMINI_API_KEY",
    baseUrlVariable: "GEMINI_BASE_URL",
  },
];

export type Role = "agent" | "reflector" | "skill manager";
export type Answers = (role: Role, request: NeutralRequest) => ScriptStep | Promise<ScriptStep>;

/** Which role asks: the first words of its instructions. */
export function roleOf({ system }: NeutralRequest): Role {
  const role = /You are the (agent|reflector|skill manager) of/.exec(system)?.[1];
  if (role === undefined) throw new Error(`no role asks like this: ${system.slice(0, 100)}`);
  return role as Role;
}

export const answer = (part: Partial<Record<"reasoning" | "final_answer", string>> = {}) => ({
  json: { reasoning: "1. Look it up.", final_answer: "42", skill_ids: [], ...part },
});

export const reflection = (part: Record<string, unknown> = {}) => ({
  json: {
    reasoning: "Case 5: nothing covers it.",
    error_identification: "Step 1.",
    root_cause_analysis: "The price list was not opened.",
    correct_approach: "Open the price list first.",
    key_insight: "Prices stand in the price list.",
    extracted_learnings: [
      {
        learning: "Open the price list before naming a price.",
        atomicity_score: 0.95,
        evidence: "42 instead of 12.50",
        justification: "Prices change.",
      },
    ],
    skill_tags: [],
    ...part,
  },
});

/** Every field, because a strict wire gives every field; null where an operation has none. */
export const operation = (part: Record<string, unknown>) => ({
  type: "ADD",
  section: null,
  skill_id: null,
  content: null,
  tag: null,
  justification: null,
  evidence: null,
  reflection_index: 0,
  learning_index: null,
  ...part,
});

export const update = (...operations: readonly Record<string, unknown>[]) => ({
  json: { reasoning: "One is new.", operations: operations.map(operation) },
});

/** Answers, learns one skill from each reflection. */
export const learning: Answers = (role, request) => {
  if (role === "agent") return answer();
  if (role === "reflector") return reflection();
  const question = /<given name="question"[^>]*>\n(.*)\n/.exec(lastUserText(request))?.[1] ?? "";
  return update({ section: "prices", content: `Lesson of ${question}`, evidence: "42" });
};

export interface WireServer extends AsyncDisposable {
  readonly models: ModelServer;
  readonly ace: ServerProcess;
  /** What the model answers from now on. */
  answers: Answers;
  /** A tool call with everything that came back, `_meta` included. */
  call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<CallToolResult>;
  /** Accepted model calls since the last use of this. */
  newCalls(): readonly NeutralRequest[];
  /** Every text that the process gave: results and stderr. */
  said(): string;
}

/** `ace-mcp` as a child process in front of a loopback server of one wire. */
export async function startWire(
  wire: ModelWire,
  key: string,
  env: Readonly<Record<string, string>> = {},
): Promise<WireServer> {
  const models = await startModelServer({
    wire: wire.name,
    script: (request) => server.answers(roleOf(request), request),
  });
  const ace = await startServer({
    ACE_MCP_DEFAULT_MODEL: wire.model,
    ACE_MCP_LOG_LEVEL: "DEBUG",
    [wire.baseUrlVariable]: models.baseUrl,
    [wire.keyVariable]: key,
    ...env,
  });
  const results: CallToolResult[] = [];
  let seen = 0;
  const server: WireServer = {
    models,
    ace,
    answers: learning,
    call: async (name, args, signal) => {
      const result = await ace.client.callTool(
        { name, arguments: args },
        { ...(signal && { signal }) },
      );
      results.push(result);
      return result;
    },
    newCalls: () => {
      const calls = models.calls.slice(seen);
      seen = models.calls.length;
      return calls;
    },
    said: () => `${JSON.stringify(results)}\n${ace.stderr()}`,
    [Symbol.asyncDispose]: async () => {
      await ace[Symbol.asyncDispose]();
      await models.close();
    },
  };
  return server;
}
