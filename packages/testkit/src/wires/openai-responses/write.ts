import { chunksOf } from "../chunks.ts";
import { type JsonObject, listOf, textOf } from "../json-read.ts";
import { answerText, type PreparedReply, type PreparedToolCall } from "../prepared-reply.ts";
import type { GenerateCall, StreamEvent, WireReply } from "../wire.ts";
import { opaqueToken, wireId } from "../wire-id.ts";
import { inputItems } from "./input-items.ts";
import type { ResponseLedger } from "./response-ledger.ts";

interface OutputItem {
  readonly item: JsonObject;
  /** Events between `output_item.added` and `output_item.done`, without their numbers. */
  readonly events: (outputIndex: number) => readonly JsonObject[];
}

/** Writes one response and remembers its items. */
export function writeResponse(
  reply: PreparedReply,
  call: GenerateCall,
  ledger: ResponseLedger,
): WireReply {
  const items = outputItems(reply, call);
  const body = responseBody(reply, call, items);
  remember(body, items, call, ledger);
  return { body, events: streamEvents(body, items) };
}

function outputItems(reply: PreparedReply, call: GenerateCall): OutputItem[] {
  const text = answerText(reply);
  const items: OutputItem[] = [];
  if (reply.reasoning !== undefined) {
    items.push(reasoningItem(reply.reasoning, reply.chunkSize, call));
  }
  // A response without any item does not occur: an empty answer is a message with an empty text.
  if (text !== "" || reply.toolCalls.length === 0) items.push(messageItem(text, reply.chunkSize));
  return [...items, ...reply.toolCalls.map(callItem)];
}

function reasoningItem(
  reasoning: { readonly text: string; readonly signature?: string },
  chunkSize: number,
  call: GenerateCall,
): OutputItem {
  const id = wireId("rs_");
  const encrypted = listOf(call.body["include"]).includes("reasoning.encrypted_content");
  const summary = reasoning.text === "" ? [] : [{ type: "summary_text", text: reasoning.text }];
  const item = {
    id,
    type: "reasoning",
    summary,
    ...(encrypted && { encrypted_content: reasoning.signature ?? opaqueToken() }),
  };
  const events = (output_index: number): JsonObject[] => {
    if (summary.length === 0) return [];
    const at = { item_id: id, output_index, summary_index: 0 };
    const name = "response.reasoning_summary";
    const empty = { type: "summary_text", text: "" };
    return [
      { type: `${name}_part.added`, ...at, part: empty },
      ...chunksOf(reasoning.text, chunkSize).map((delta) => ({
        type: `${name}_text.delta`,
        ...at,
        delta,
      })),
      { type: `${name}_text.done`, ...at, text: reasoning.text },
      { type: `${name}_part.done`, ...at, part: summary[0] },
    ];
  };
  return { item, events };
}

function messageItem(text: string, chunkSize: number): OutputItem {
  const id = wireId("msg_");
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const item = { id, type: "message", status: "completed", role: "assistant", content: [part] };
  const events = (output_index: number): JsonObject[] => {
    const at = { item_id: id, output_index, content_index: 0 };
    return [
      { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
      ...chunksOf(text, chunkSize).map((delta) => ({
        type: "response.output_text.delta",
        ...at,
        delta,
        logprobs: [],
      })),
      { type: "response.output_text.done", ...at, text, logprobs: [] },
      { type: "response.content_part.done", ...at, part },
    ];
  };
  return { item, events };
}

function callItem(call: PreparedToolCall): OutputItem {
  const id = wireId("fc_");
  const item = {
    id,
    type: "function_call",
    status: "completed",
    arguments: call.arguments,
    call_id: call.id ?? wireId("call_"),
    name: call.name,
  };
  const events = (output_index: number): JsonObject[] => {
    const at = { item_id: id, output_index };
    const name = "response.function_call_arguments";
    return [
      ...call.pieces.map((delta) => ({ type: `${name}.delta`, ...at, delta })),
      { type: `${name}.done`, ...at, arguments: call.arguments },
    ];
  };
  return { item, events };
}

function responseBody(
  reply: PreparedReply,
  call: GenerateCall,
  items: readonly OutputItem[],
): JsonObject {
  const { usage, finish } = reply;
  const incomplete = finish === "length" || finish === "content-filter";
  const reason = finish === "length" ? "max_output_tokens" : "content_filter";
  return {
    id: wireId("resp_"),
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status: incomplete ? "incomplete" : "completed",
    error: null,
    incomplete_details: incomplete ? { reason } : null,
    instructions: call.body["instructions"] ?? null,
    model: call.model,
    output: items.map(({ item }) => item),
    parallel_tool_calls: true,
    previous_response_id: call.body["previous_response_id"] ?? null,
    store: call.body["store"] !== false,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cachedInput },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  };
}

function streamEvents(body: JsonObject, items: readonly OutputItem[]): StreamEvent[] {
  let sequence = 0;
  const event = (phase: StreamEvent["phase"], data: JsonObject): StreamEvent => ({
    event: textOf(data["type"]),
    data: { ...data, sequence_number: sequence++ },
    phase,
  });
  const begun = {
    ...body,
    status: "in_progress",
    output: [],
    usage: null,
    incomplete_details: null,
  };
  const opening = ["response.created", "response.in_progress"].map((type) =>
    event("open", { type, response: begun }),
  );
  const deltas = items.flatMap(({ item, events }, index) => [
    event("delta", {
      type: "response.output_item.added",
      output_index: index,
      item: begunItem(item),
    }),
    ...events(index).map((data) => event("delta", data)),
    event("delta", { type: "response.output_item.done", output_index: index, item }),
  ]);
  const type = body["status"] === "incomplete" ? "response.incomplete" : "response.completed";
  return [...opening, ...deltas, event("close", { type, response: body })];
}

/** An item as it is announced: nothing said yet. */
function begunItem(item: JsonObject): JsonObject {
  if (item["type"] === "reasoning") return { ...item, summary: [] };
  if (item["type"] === "message") return { ...item, status: "in_progress", content: [] };
  return { ...item, status: "in_progress", arguments: "" };
}

function remember(
  body: JsonObject,
  items: readonly OutputItem[],
  call: GenerateCall,
  ledger: ResponseLedger,
): void {
  const stored = call.body["store"] !== false;
  const reasoningId = items
    .map(({ item }) => (item["type"] === "reasoning" ? textOf(item["id"]) : ""))
    .find((id) => id !== "");
  const earlier = inputItems(call.body, ledger).map(({ item }) => item);
  for (const { item } of items) {
    const encrypted = item["encrypted_content"];
    const companion = item["type"] === "reasoning" ? undefined : reasoningId;
    ledger.items.set(textOf(item["id"]), {
      item,
      stored,
      ...(typeof encrypted === "string" && { encrypted }),
      ...(companion !== undefined && { reasoningId: companion }),
    });
  }
  if (stored) {
    ledger.conversations.set(textOf(body["id"]), [...earlier, ...items.map(({ item }) => item)]);
  }
}
