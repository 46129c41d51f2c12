import { splitInto } from "./chunks.ts";
import type { ModelReply, ReplyFinish, ReplyToolCall, ReplyUsage } from "./script.ts";

export interface PreparedToolCall {
  readonly id?: string;
  readonly name: string;
  readonly input: unknown;
  /** JSON text, except for the fault `invalid-tool-arguments`. */
  readonly arguments: string;
  readonly pieces: readonly string[];
}

/** A reply with every default filled in. */
export interface PreparedReply {
  readonly reasoning?: { readonly text: string; readonly signature?: string };
  readonly text: string;
  readonly json?: unknown;
  readonly toolCalls: readonly PreparedToolCall[];
  readonly usage: Required<ReplyUsage>;
  readonly finish: ReplyFinish;
  readonly chunkSize: number;
  /** The arguments of a call are broken; only the Google wire has its own finish reason for that. */
  readonly malformedCall: boolean;
}

const DEFAULT_CHUNK_SIZE = 16;
const DEFAULT_ARGUMENT_CHUNKS = 2;
/** A usual rule of thumb; tests that look at usage script it. */
const CHARS_PER_TOKEN = 4;

export function prepareReply(
  reply: ModelReply,
  requestChars: number,
  brokenCall?: { readonly name: string; readonly arguments: string },
): PreparedReply {
  const toolCalls = (reply.toolCalls ?? []).map(prepareCall);
  if (brokenCall !== undefined) {
    const pieces = splitInto(brokenCall.arguments, DEFAULT_ARGUMENT_CHUNKS);
    toolCalls.push({ ...brokenCall, input: brokenCall.arguments, pieces });
  }
  const text = reply.text ?? "";
  return {
    ...(reply.reasoning !== undefined && { reasoning: reply.reasoning }),
    text,
    ...(reply.json !== undefined && { json: reply.json }),
    toolCalls,
    usage: usageOf(reply, toolCalls, requestChars),
    finish: reply.finish ?? (toolCalls.length > 0 ? "tool-calls" : "stop"),
    chunkSize: reply.chunkSize ?? DEFAULT_CHUNK_SIZE,
    malformedCall: brokenCall !== undefined,
  };
}

/** Text and structured answer as one text, for the wires that return both as text. */
export function answerText(reply: PreparedReply): string {
  return reply.json === undefined ? reply.text : reply.text + JSON.stringify(reply.json);
}

function prepareCall(call: ReplyToolCall): PreparedToolCall {
  const text = JSON.stringify(call.input ?? {});
  return {
    ...(call.id !== undefined && { id: call.id }),
    name: call.name,
    input: call.input ?? {},
    arguments: text,
    pieces: splitInto(text, call.splitArguments ?? DEFAULT_ARGUMENT_CHUNKS),
  };
}

function usageOf(
  reply: ModelReply,
  calls: readonly PreparedToolCall[],
  requestChars: number,
): Required<ReplyUsage> {
  const none = { cachedInput: 0, cacheWrite: 0, reasoning: 0 };
  if (reply.usage !== undefined) return { ...none, ...reply.usage };
  const tokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);
  const reasoning = tokens(reply.reasoning?.text.length ?? 0);
  const said =
    (reply.text?.length ?? 0) +
    (reply.json === undefined ? 0 : JSON.stringify(reply.json).length) +
    calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  return { ...none, input: tokens(requestChars), output: tokens(said) + reasoning, reasoning };
}
