import { AcumenError, isJsonObject, parseJson } from "@acumen/core";
import type { AnyMessage } from "@agentclientprotocol/sdk";

/** What a line of the host is: a message, or none, with the answer that says so. */
export type Arrival = { readonly message: AnyMessage } | { readonly reply: AnyMessage };

/** Far more than any message needs, and far less than what would exhaust the stack of those who walk through it. */
const MAX_DEPTH = 200;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** Undefined for an empty line. */
export function arrivalOf(line: string): Arrival | undefined {
  if (line.trim() === "") return undefined;
  let value: unknown;
  try {
    value = parseJson(line, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!AcumenError.isInstance(error)) throw error;
    const code = "max_depth" in error.details ? INVALID_REQUEST : PARSE_ERROR;
    return refusal(code, error.message);
  }
  if (Array.isArray(value)) return refusal(INVALID_REQUEST, "Batches are not supported.");
  if (!isJsonObject(value)) return refusal(INVALID_REQUEST, "A message is a JSON object.");
  return { message: value as unknown as AnyMessage };
}

export function tooLong(maxBytes: number): Arrival {
  const size = `${maxBytes / 1024 / 1024} MiB`;
  return refusal(INVALID_REQUEST, `A line of more than ${size} was skipped.`);
}

/** Whoever sent it waits for an answer. */
export function isRequest({ method, id }: { method?: unknown; id?: unknown }): boolean {
  return method !== undefined && id !== undefined;
}

function refusal(code: number, message: string): Arrival {
  return { reply: { jsonrpc: "2.0", id: null, error: { code, message } } };
}
