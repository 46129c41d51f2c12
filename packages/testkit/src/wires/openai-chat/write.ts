import { chunksOf } from "../chunks.ts";
import { type JsonObject, objectOf } from "../json-read.ts";
import { answerText, type PreparedReply } from "../prepared-reply.ts";
import type { ReplyFinish } from "../script.ts";
import type { GenerateCall, StreamEvent, WireReply } from "../wire.ts";
import { wireId } from "../wire-id.ts";

/** The field of the reasoning text; OpenAI itself never shows it on this wire. */
export type ReasoningField = "reasoning_content" | "reasoning";

const FINISH: Record<ReplyFinish, string> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

export function writeChat(
  reply: PreparedReply,
  call: GenerateCall,
  reasoningField?: ReasoningField,
): WireReply {
  const reasoning = reasoningField === undefined ? undefined : reply.reasoning?.text;
  const text = answerText(reply);
  const calls = reply.toolCalls.map((toolCall) => ({
    id: toolCall.id ?? wireId("call_"),
    type: "function",
    function: { name: toolCall.name, arguments: toolCall.arguments },
  }));
  const head = {
    id: wireId("chatcmpl-"),
    created: Math.floor(Date.now() / 1000),
    model: call.model,
    service_tier: "default",
    system_fingerprint: "fp_loopback",
  };
  const finishReason = FINISH[reply.finish];
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoningField !== undefined && reasoning !== undefined && { [reasoningField]: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
    refusal: null,
    annotations: [],
  };
  const usage = usageBody(reply);
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason };
  const body = { ...head, object: "chat.completion", choices: [choice], usage };
  const deltas: JsonObject[] = [
    ...chunksOf(reasoning ?? "", reply.chunkSize).map((piece) => ({
      [reasoningField ?? ""]: piece,
    })),
    ...chunksOf(text, reply.chunkSize).map((content) => ({ content })),
    ...reply.toolCalls.flatMap(({ pieces }, index) =>
      callDeltas(index, calls[index] ?? {}, pieces),
    ),
  ];
  const withUsage = objectOf(call.body["stream_options"])["include_usage"] === true;
  return { body, events: streamEvents(head, deltas, finishReason, withUsage ? usage : undefined) };
}

/** First the name with empty arguments, then the arguments piece by piece, all under one index. */
function callDeltas(index: number, call: JsonObject, pieces: readonly string[]): JsonObject[] {
  const { name } = objectOf(call["function"]);
  const first = { index, ...call, function: { name, arguments: "" } };
  const rest = pieces.map((piece) => ({ index, function: { arguments: piece } }));
  return [first, ...rest].map((entry) => ({ tool_calls: [entry] }));
}

function streamEvents(
  head: JsonObject,
  deltas: readonly JsonObject[],
  finishReason: string,
  usage: JsonObject | undefined,
): StreamEvent[] {
  const chunk = (
    phase: StreamEvent["phase"],
    delta: JsonObject,
    finish: string | null,
  ): StreamEvent => {
    const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
    const data = { ...head, object: "chat.completion.chunk", choices: [choice] };
    return { data: usage === undefined ? data : { ...data, usage: null }, phase };
  };
  const usageChunk: StreamEvent[] =
    usage === undefined
      ? []
      : [
          {
            data: { ...head, object: "chat.completion.chunk", choices: [], usage },
            phase: "close",
          },
        ];
  return [
    chunk("open", { role: "assistant", content: "", refusal: null }, null),
    ...deltas.map((delta) => chunk("delta", delta, null)),
    chunk("close", {}, finishReason),
    ...usageChunk,
    { data: "[DONE]", phase: "close" },
  ];
}

function usageBody({ usage }: PreparedReply): JsonObject {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cachedInput, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
