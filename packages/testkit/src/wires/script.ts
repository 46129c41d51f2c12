import type { NeutralRequest } from "./neutral-request.ts";

export interface ReplyToolCall {
  /** Default: an id in the form of the wire. */
  readonly id?: string;
  readonly name: string;
  readonly input: unknown;
  /** Number of deltas the arguments are cut into while streaming (default 2; the Google wire always sends them whole). */
  readonly splitArguments?: number;
}

/** Token counts as a caller sees them: `input` includes `cachedInput` and `cacheWrite`, `output` includes `reasoning`. */
export interface ReplyUsage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

export type ReplyFinish = "stop" | "length" | "tool-calls" | "content-filter";

/** One answer of the scripted service. Parts go out in the order reasoning, text, tool calls. */
export interface ModelReply {
  /** `signature` stands for whatever the wire uses to recognise its own reasoning; default: a fresh one. */
  readonly reasoning?: { readonly text: string; readonly signature?: string };
  readonly text?: string;
  readonly toolCalls?: readonly ReplyToolCall[];
  /** A structured answer: JSON text, or the input of Anthropic's `json` tool when the request brought that tool. */
  readonly json?: unknown;
  readonly usage?: ReplyUsage;
  /** Default: `tool-calls` with tool calls, else `stop`. */
  readonly finish?: ReplyFinish;
  /** Characters per text or reasoning delta, default 16. */
  readonly chunkSize?: number;
  /** Before each delta (streaming) or before the headers (else). */
  readonly delayMs?: number;
}

export const FAULT_NAMES = [
  "401",
  "403",
  "404-model",
  "429",
  "quota",
  "500",
  "503",
  "529",
  "context-length",
  "content-filter",
  "slow",
  "hang",
  "cut",
  "malformed-json",
  "malformed-stream",
  "invalid-tool-arguments",
  "truncated-stream",
  "error-in-stream",
] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

/** What a service does instead of answering, in the form that this service really uses. */
export interface ModelFault {
  readonly fault: FaultName;
  /** Seconds, for 429, 503 and 529. Absent: the service does not say. */
  readonly retryAfter?: number;
  /**
   * `hang`: before the headers (default) or after the first part of the answer. `cut` and `error-in-stream`:
   * after the first part (default) or before anything was said.
   */
  readonly at?: "start" | "middle";
  /** The answer that is interrupted, or that comes late (`slow`). */
  readonly text?: string;
  /** `slow`: milliseconds before the headers, default 1,500. */
  readonly delayMs?: number;
  /** `invalid-tool-arguments`: default the first tool of the request, and an unfinished JSON text. */
  readonly tool?: string;
  readonly arguments?: string;
}

export type ScriptStep = ModelReply | ModelFault;
/** Index: number of accepted calls before this one. Refused requests (400, 401, 404) consume no step. */
export type ModelScript =
  | readonly ScriptStep[]
  | ((request: NeutralRequest, index: number) => ScriptStep | Promise<ScriptStep>);

export function isFault(step: ScriptStep): step is ModelFault {
  return "fault" in step;
}

/** @throws Error that says how long the script is, when a list has no step left. */
export async function nextStep(
  script: ModelScript,
  request: NeutralRequest,
  index: number,
): Promise<ScriptStep> {
  if (typeof script === "function") return script(request, index);
  const step = script[index];
  if (step === undefined) {
    throw new Error(`the script has ${script.length} steps and none for model call ${index + 1}`);
  }
  return step;
}
