import { chunksOf } from "../chunks.ts";
import type { JsonObject } from "../json-read.ts";
import { answerText, type PreparedReply } from "../prepared-reply.ts";
import type { ReplyFinish } from "../script.ts";
import type { GenerateCall, StreamEvent, WireReply } from "../wire.ts";
import { opaqueToken, wireId } from "../wire-id.ts";
import type { CallLedger } from "./call-ledger.ts";
import { isGemini3 } from "./model-traits.ts";

const FINISH: Record<ReplyFinish, string> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  "tool-calls": "STOP",
  "content-filter": "SAFETY",
};

export function writeCandidate(
  reply: PreparedReply,
  call: GenerateCall,
  ledger: CallLedger,
): WireReply {
  const text = answerText(reply);
  const signature = signatureOf(reply, call);
  const calls = reply.malformedCall ? [] : callParts(reply, call, signature, ledger);
  // Without a call to sit on, the signature comes with the end of the text.
  const textSignature = calls.length === 0 ? signature : undefined;
  if (textSignature !== undefined) ledger.issueSignature(textSignature);
  const signed = textSignature === undefined ? {} : { thoughtSignature: textSignature };
  const thought = reply.reasoning?.text ?? "";
  const parts: JsonObject[] = [
    ...(thought === "" ? [] : [{ text: thought, thought: true }]),
    ...(text === "" ? [] : [{ text, ...signed }]),
    ...calls,
  ];
  const finishReason = reply.malformedCall ? "MALFORMED_FUNCTION_CALL" : FINISH[reply.finish];
  const head = { modelVersion: call.model, responseId: wireId("", 8) };
  const usageMetadata = usageBody(reply);
  const finished = {
    finishReason,
    ...(reply.malformedCall && {
      finishMessage: `Malformed function call: ${reply.toolCalls[0]?.arguments ?? ""}`,
    }),
    index: 0,
  };
  const body = {
    candidates: [{ content: { role: "model", parts }, ...finished }],
    usageMetadata,
    ...head,
  };
  const deltas: JsonObject[] = [
    ...chunksOf(thought, reply.chunkSize).map((piece) => ({ text: piece, thought: true })),
    ...chunksOf(text, reply.chunkSize).map((piece) => ({ text: piece })),
    ...calls,
  ];
  const chunk = (part: JsonObject, rest: JsonObject): JsonObject => ({
    candidates: [{ content: { role: "model", parts: [part] }, ...rest }],
    usageMetadata,
    ...head,
  });
  const events: StreamEvent[] = [
    ...deltas.map((part) => ({ data: chunk(part, { index: 0 }), phase: "delta" as const })),
    { data: chunk({ text: "", ...signed }, finished), phase: "close" },
  ];
  return { body, events };
}

/** Gemini 3 signs every step with calls; older models only what they thought about. */
function signatureOf(reply: PreparedReply, call: GenerateCall): string | undefined {
  const signs =
    reply.reasoning !== undefined || (isGemini3(call.model) && reply.toolCalls.length > 0);
  return signs ? (reply.reasoning?.signature ?? opaqueToken()) : undefined;
}

/** Of several parallel calls only the first one carries the signature. */
function callParts(
  reply: PreparedReply,
  call: GenerateCall,
  signature: string | undefined,
  ledger: CallLedger,
): JsonObject[] {
  return reply.toolCalls.map(({ id: scripted, name, input }, index) => {
    const id = scripted ?? (isGemini3(call.model) ? wireId("", 6) : undefined);
    const own = index === 0 ? signature : undefined;
    ledger.issue({
      ...(id !== undefined && { id }),
      name,
      input,
      ...(own !== undefined && { signature: own }),
    });
    return {
      functionCall: { ...(id !== undefined && { id }), name, args: input },
      ...(own !== undefined && { thoughtSignature: own }),
    };
  });
}

/** The service counts thoughts apart from the answer. */
function usageBody({ usage }: PreparedReply): JsonObject {
  return {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output - usage.reasoning,
    totalTokenCount: usage.input + usage.output,
    ...(usage.cachedInput > 0 && { cachedContentTokenCount: usage.cachedInput }),
    ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: usage.input }],
  };
}
