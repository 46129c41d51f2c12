import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { namelessError, readMessages, unreadable } from "./read-messages.ts";

/** What a text of a server is replaced by; undefined: it stays as it is. */
export type Mend = (text: string) => readonly string[] | undefined;

type RequestId = string | number;

/** Requests of ours are written like that; those of the SDK begin with something else. */
const ID_FIRST = /^\{"jsonrpc":"2\.0","id":(\d+),"method"/u;

/** The id in a message that is sent; undefined: it is no request of ours. */
export function requestIdIn(body: unknown): number | undefined {
  const found = typeof body === "string" ? ID_FIRST.exec(body)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}

/**
 * For a whole answer of JSON. It is the only one to its request: when it answers another one or none, that is said.
 * @param asked the id of the request
 */
export function mendedBody(asked: RequestId | undefined): Mend {
  return (text) => {
    const { messages, isExact } = readMessages(text);
    const isAnswered = asked === undefined || messages.some((message) => answers(message, asked));
    if (isExact && isAnswered) return undefined;
    const value = parsed(text);
    // What it is instead is best said by whoever cannot read it.
    if (value === undefined && messages.length === 0) return undefined;
    const all = isAnswered
      ? messages
      : [...messages, instead(value, asked, "It names another request, or none.")];
    if (all.length === 0) return undefined;
    const texts = all.map(written);
    return [texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(",")}]`];
  };
}

/**
 * For one event of a stream, which holds one message.
 * @param asked the id of the request that the stream belongs to
 */
export function mendedEvent(asked: RequestId | undefined): Mend {
  return (text) => {
    const { messages, isExact } = readMessages(text);
    if (isExact && messages.length === 1 && !text.trimStart().startsWith("[")) return undefined;
    if (messages.length > 0) return messages.map(written);
    // Signs of life and the like.
    if (asked === undefined || !text.trimStart().startsWith("{") || /"method"/u.test(text))
      return undefined;
    return [written(instead(parsed(text), asked, "It cannot be read."))];
  };
}

function answers(message: JSONRPCMessage, asked: RequestId): boolean {
  return !("method" in message) && String(message.id) === String(asked);
}

function instead(value: unknown, asked: RequestId, otherwise: string): JSONRPCMessage {
  const error = namelessError(value);
  return error === undefined ? unreadable(asked, otherwise) : { ...error, id: asked };
}

function written(message: JSONRPCMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    // Only what has no need to be changed may be nested that deeply.
    const id = "id" in message ? (message.id ?? "") : "";
    return JSON.stringify(unreadable(id, "It is nested too deeply."));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
