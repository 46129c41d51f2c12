import type { Delivery } from "./delivery.ts";
import { prepareReply, type PreparedReply } from "./prepared-reply.ts";
import type { FaultName, ModelFault, ModelReply } from "./script.ts";
import {
  type ErrorFault,
  type GenerateCall,
  isWireReply,
  type StreamEvent,
  type Wire,
  type WireReply,
} from "./wire.ts";

const PARTIAL_TEXT = "This answer is not going to be complete.";
const BROKEN_ARGUMENTS = '{"path": "notes.txt", "lines": [1, 2';
const LATE_MS = 1500;

const ERROR_FAULTS = new Set<FaultName>([
  "401",
  "403",
  "429",
  "quota",
  "500",
  "503",
  "529",
  "context-length",
  "content-filter",
]);

export interface FaultContext {
  readonly wire: Wire;
  readonly call: GenerateCall;
  readonly key: string;
  readonly requestChars: number;
  readonly firstTool: string | undefined;
}

export function replyDelivery(
  reply: ModelReply,
  { wire, call, requestChars }: Pick<FaultContext, "wire" | "call" | "requestChars">,
): Delivery {
  const written = wire.write(prepareReply(reply, requestChars), call);
  return writtenDelivery(written, call.stream, reply.delayMs);
}

/** Turns a fault into what the service does. */
export function faultDelivery(fault: ModelFault, context: FaultContext): Delivery {
  const { wire, call, key } = context;
  if (fault.fault === "404-model") {
    return { kind: "json", reply: wire.errors.unknownModel(call.model) };
  }
  if (isErrorFault(fault.fault)) {
    const reply = wire.errors.fault(fault.fault, {
      model: call.model,
      key,
      ...(fault.retryAfter !== undefined && { retryAfter: fault.retryAfter }),
    });
    return isWireReply(reply) ? writtenDelivery(reply, call.stream) : { kind: "json", reply };
  }
  if (fault.fault === "hang" && fault.at !== "middle") return { kind: "silence", end: "hang" };
  if (fault.fault === "cut" && fault.at === "start") return { kind: "silence", end: "cut" };
  const written = wire.write(interrupted(fault, context), call);
  if (fault.fault === "slow") {
    return { ...writtenDelivery(written, call.stream), waitMs: fault.delayMs ?? LATE_MS };
  }
  if (fault.fault === "invalid-tool-arguments") return writtenDelivery(written, call.stream);
  return call.stream && fault.fault !== "malformed-json"
    ? brokenStream(fault, written.events, wire)
    : brokenBody(fault, written);
}

function isErrorFault(name: FaultName): name is ErrorFault {
  return ERROR_FAULTS.has(name);
}

function interrupted(fault: ModelFault, context: FaultContext): PreparedReply {
  if (fault.fault !== "invalid-tool-arguments") {
    return prepareReply({ text: fault.text ?? PARTIAL_TEXT }, context.requestChars);
  }
  return prepareReply(
    { ...(fault.text !== undefined && { text: fault.text }) },
    context.requestChars,
    {
      name: fault.tool ?? context.firstTool ?? "tool",
      arguments: fault.arguments ?? BROKEN_ARGUMENTS,
    },
  );
}

function writtenDelivery(
  written: WireReply,
  stream: boolean,
  delayMs?: number,
): Extract<Delivery, { kind: "json" | "stream" }> {
  if (!stream) {
    const reply = { status: 200, body: written.body };
    return { kind: "json", reply, ...(delayMs !== undefined && { waitMs: delayMs }) };
  }
  return {
    kind: "stream",
    events: written.events,
    end: "finish",
    ...(delayMs !== undefined && { delayMs }),
  };
}

function brokenStream(fault: ModelFault, events: readonly StreamEvent[], wire: Wire): Delivery {
  const said = events.filter(({ phase }) => phase !== "close");
  const opening = events.filter(({ phase }) => phase === "open");
  const deltas = said.length - opening.length;
  const half = said.slice(0, opening.length + Math.ceil(deltas / 2));
  if (fault.fault === "truncated-stream") return { kind: "stream", events: said, end: "finish" };
  if (fault.fault === "malformed-stream") {
    const broken: StreamEvent = { data: '{"choices": [{"delta": {"con', phase: "delta" };
    // It stands for a good event, and the rest comes as if nothing had happened: a caller that skips it takes a text
    // with a hole for the whole one.
    const rest = events.slice(half.length + 1);
    return { kind: "stream", events: [...half, broken, ...rest], end: "finish" };
  }
  if (fault.fault === "error-in-stream") {
    const before = fault.at === "start" ? opening : half;
    return { kind: "stream", events: [...before, wire.errors.inStream()], end: "finish" };
  }
  return { kind: "stream", events: half, end: fault.fault === "hang" ? "hang" : "cut" };
}

/** A fault of streams becomes, for a call without streaming, the nearest thing that can happen to a body. */
function brokenBody(fault: ModelFault, written: WireReply): Delivery {
  const text = JSON.stringify(written.body);
  if (fault.fault === "hang" || fault.fault === "cut" || fault.fault === "truncated-stream") {
    return { kind: "half-body", text, end: fault.fault === "hang" ? "hang" : "cut" };
  }
  return { kind: "json", reply: { status: 200, body: text.slice(0, Math.floor(text.length / 2)) } };
}
