import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isJsonObject } from "@acumen/core";
import { numbered, numberedAnswer } from "./arrival-number.ts";

/** Nothing that is a message: answered as such. What stood there is not sent back, since it can hold keys. */
const NO_MESSAGE = {} as unknown as AnyMessage;
const SET_UP = new Set(["session/new", "session/load", "session/resume"]);

/**
 * Reads what hosts send for nothing (`[]` or null for no parameters, `{}` or nothing for no MCP servers) as what they mean by
 * it, before the protocol's schema refuses the whole request. Prompts and what cancels are numbered as they come.
 */
export function forgivingStream({ readable, writable }: Stream): Stream {
  let arrivals = 0;
  const forgiving = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      arrivals += 1;
      controller.enqueue(forgiven(message, arrivals));
    },
  });
  return { writable, readable: readable.pipeThrough(forgiving) };
}

function forgiven(message: unknown, arrival: number): AnyMessage {
  if (Array.isArray(message)) return message as unknown as AnyMessage;
  if (!isJsonObject(message)) return NO_MESSAGE;
  const { method, params } = message;
  if (!("method" in message)) {
    return isAnswer(message) ? (numberedAnswer(message, arrival) as AnyMessage) : NO_MESSAGE;
  }
  const isCall = message["jsonrpc"] === "2.0" && typeof method === "string" && hasUsableId(message);
  if (!isCall) return NO_MESSAGE;
  const said = isNothing(params) ? {} : params;
  const full = SET_UP.has(method) && isJsonObject(said) ? withServers(said) : said;
  return { ...message, params: numbered(method, full, arrival) } as AnyMessage;
}

function withServers(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { mcpServers } = params;
  return isNothing(mcpServers) ? { ...params, mcpServers: [] } : params;
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function isAnswer(message: Readonly<Record<string, unknown>>): boolean {
  return "id" in message || "result" in message || "error" in message;
}

function hasUsableId(message: Readonly<Record<string, unknown>>): boolean {
  if (!("id" in message)) return true;
  const { id } = message;
  return id === null || typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
}
