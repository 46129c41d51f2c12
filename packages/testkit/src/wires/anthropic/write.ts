import { chunksOf, splitInto } from "../chunks.ts";
import type { JsonObject } from "../json-read.ts";
import type { PreparedReply } from "../prepared-reply.ts";
import type { ReplyFinish } from "../script.ts";
import type { GenerateCall, StreamEvent, WireReply } from "../wire.ts";
import { opaqueToken, wireId } from "../wire-id.ts";
import type { ThinkingLedger } from "./thinking-ledger.ts";
import { jsonTool } from "./view.ts";

interface OutputBlock {
  readonly block: JsonObject;
  /** As `content_block_start` announces it. */
  readonly begun: JsonObject;
  readonly deltas: readonly JsonObject[];
}

const STOP_REASON: Record<ReplyFinish, string> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
};

export function writeMessage(
  reply: PreparedReply,
  call: GenerateCall,
  ledger: ThinkingLedger,
): WireReply {
  const throughTool = reply.json !== undefined && jsonTool(call.body) !== undefined;
  const blocks = outputBlocks(reply, call, ledger, throughTool);
  const finish = throughTool && reply.finish === "stop" ? "tool-calls" : reply.finish;
  const body = {
    id: wireId("msg_"),
    type: "message",
    role: "assistant",
    model: call.model,
    content: blocks.map(({ block }) => block),
    stop_reason: STOP_REASON[finish],
    stop_sequence: null,
    usage: usageBody(reply),
  };
  return { body, events: streamEvents(body, blocks) };
}

function outputBlocks(
  reply: PreparedReply,
  call: GenerateCall,
  ledger: ThinkingLedger,
  throughTool: boolean,
): OutputBlock[] {
  const blocks: OutputBlock[] = [];
  if (reply.reasoning !== undefined) {
    const { text, signature = opaqueToken() } = reply.reasoning;
    ledger.issue(signature, text, call.model);
    blocks.push(thinkingBlock(text, signature, reply.chunkSize));
  }
  const structured = reply.json === undefined ? "" : JSON.stringify(reply.json);
  const text = throughTool ? reply.text : reply.text + structured;
  if (text !== "") blocks.push(textBlock(text, reply.chunkSize));
  for (const { id, name, input, pieces } of reply.toolCalls) {
    blocks.push(toolBlock(id ?? wireId("toolu_"), name, input, pieces));
  }
  if (throughTool) {
    blocks.push(toolBlock(wireId("toolu_"), "json", reply.json, splitInto(structured, 2)));
  }
  return blocks;
}

function thinkingBlock(text: string, signature: string, chunkSize: number): OutputBlock {
  return {
    block: { type: "thinking", thinking: text, signature },
    begun: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...chunksOf(text, chunkSize).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature },
    ],
  };
}

function textBlock(text: string, chunkSize: number): OutputBlock {
  return {
    block: { type: "text", text },
    begun: { type: "text", text: "" },
    deltas: chunksOf(text, chunkSize).map((piece) => ({ type: "text_delta", text: piece })),
  };
}

function toolBlock(
  id: string,
  name: string,
  input: unknown,
  pieces: readonly string[],
): OutputBlock {
  return {
    block: { type: "tool_use", id, name, input },
    begun: { type: "tool_use", id, name, input: {} },
    deltas: ["", ...pieces].map((partial_json) => ({ type: "input_json_delta", partial_json })),
  };
}

/** The service counts cached input apart from `input_tokens`. */
function usageBody({ usage }: PreparedReply): JsonObject {
  return {
    input_tokens: usage.input - usage.cachedInput - usage.cacheWrite,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cachedInput,
    output_tokens: usage.output,
    ...(usage.reasoning > 0 && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
    service_tier: "standard",
  };
}

function streamEvents(
  body: JsonObject & { readonly usage: JsonObject },
  blocks: readonly OutputBlock[],
): StreamEvent[] {
  const event = (phase: StreamEvent["phase"], type: string, rest: JsonObject): StreamEvent => ({
    event: type,
    data: { type, ...rest },
    phase,
  });
  const { output_tokens_details: _details, ...startUsage } = body.usage;
  const begun = {
    ...body,
    content: [],
    stop_reason: null,
    usage: { ...startUsage, output_tokens: 1 },
  };
  const deltas = blocks.flatMap(({ begun: content_block, deltas: pieces }, index) => [
    event("delta", "content_block_start", { index, content_block }),
    ...pieces.map((delta) => event("delta", "content_block_delta", { index, delta })),
    event("delta", "content_block_stop", { index }),
  ]);
  const { stop_reason, stop_sequence, usage } = body;
  return [
    event("open", "message_start", { message: begun }),
    event("open", "ping", {}),
    ...deltas,
    event("close", "message_delta", { delta: { stop_reason, stop_sequence }, usage }),
    event("close", "message_stop", {}),
  ];
}
