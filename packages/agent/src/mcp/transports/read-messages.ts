import { isJsonObject, parseJson } from "@acumen/core";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { nestsDeeper } from "./nests-deeper.ts";

type RequestId = string | number;

/** What a text of a server holds. */
export interface ReadText {
  /** In the form that the SDK takes, which is stricter than most servers. */
  readonly messages: readonly JSONRPCMessage[];
  /** They stand in the text just like that. */
  readonly isExact: boolean;
}

/** In `error.data` of an answer that stands in for one that cannot be used. */
export const UNREADABLE = "acumen:unreadable";

/** Parsing takes a loop, not the stack, so that this bounds memory and time only. */
const MAX_TEXT_DEPTH = 100_000;
/** Of requests and notifications, which the SDK reads. Answers are left to those who asked. */
const MAX_PARAMS_DEPTH = 200;
const INTERNAL_ERROR = -32_603;
/** Where a cheap look finds the id of an answer that cannot be parsed. */
const LOOK_CHARS = 300;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const ID = String.raw`"id"\s*:\s*(\d{1,15}|"[\w:.-]{1,100}")`;
const ID_FIRST = new RegExp(
  String.raw`^\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,\s*(?:${VERSION}\s*,\s*)?"(?:result|error)"\s*:`,
  "u",
);
const ANSWER_FIRST = new RegExp(
  String.raw`^\{\s*(?:${VERSION}\s*,\s*)?"(?:result|error)"\s*:`,
  "u",
);
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${VERSION}\s*)?\}$`, "u");
const RELATED_TASK = "io.modelcontextprotocol/related-task";

/**
 * Reads one message, or a batch of them. Small sins are forgiven; an answer that cannot be used becomes an error with the reason, so
 * that whoever asked does not wait for it. Never throws.
 */
export function readMessages(text: string): ReadText {
  let value: unknown;
  try {
    value = parseJson(text, { maxDepth: MAX_TEXT_DEPTH });
  } catch (error) {
    const id = idIn(text.trim());
    const reason = error instanceof Error ? error.message : String(error);
    return {
      messages: id === undefined ? [] : [unreadable(id, `It cannot be read. ${reason}`)],
      isExact: false,
    };
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const read = values.map((each) => readMessage(each));
  const messages = read.filter((message) => message !== undefined);
  return { messages, isExact: read.every((message, index) => message === values[index]) };
}

/** What an answer says that cannot be used. */
export function unreadable(id: RequestId, message: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message, data: UNREADABLE } };
}

/** The error in a message that names no request, which its server could not read. */
export function namelessError(value: unknown): JSONRPCMessage | undefined {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0" || "method" in value) return undefined;
  const { id, error } = value;
  if ((id ?? null) !== null || (error ?? null) === null) return undefined;
  return { jsonrpc: "2.0", error: readError(error) };
}

/** The value itself where nothing of it has to be changed; undefined: no message. */
function readMessage(value: unknown): JSONRPCMessage | undefined {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return undefined;
  const message = typeof value["method"] === "string" ? readAsked(value) : readAnswer(value);
  return message !== undefined && isSame(value, message) ? (value as JSONRPCMessage) : message;
}

function readAsked(value: Readonly<Record<string, unknown>>): JSONRPCMessage | undefined {
  const { method, id = null } = value;
  if (nestsDeeper(value["params"], MAX_PARAMS_DEPTH)) return undefined;
  const params = readParams(value["params"]);
  const asked = { jsonrpc: "2.0", method: String(method), ...(params && { params }) } as const;
  // There are servers that write an id of null where there should be none.
  if (id === null) return asked;
  return isId(id) ? { ...asked, id } : undefined;
}

function readAnswer(value: Readonly<Record<string, unknown>>): JSONRPCMessage | undefined {
  const { id, result } = value;
  if (!isId(id)) return undefined;
  // There are servers that always write both, one of them null.
  const error = value["error"] ?? undefined;
  if (error !== undefined) return { jsonrpc: "2.0", id, error: readError(error) };
  if (isJsonObject(result)) return { jsonrpc: "2.0", id, result: withMeta(result) };
  return unreadable(
    id,
    result === undefined
      ? "It has neither a result nor an error."
      : "It has a result that is no object.",
  );
}

function readError(error: unknown): { code: number; message: string; data?: unknown } {
  if (!isJsonObject(error)) return { code: INTERNAL_ERROR, message: textOf(error) };
  const { code, message, data } = error;
  return {
    code: Number.isSafeInteger(Number(code ?? undefined)) ? Number(code) : INTERNAL_ERROR,
    message: typeof message === "string" ? message : textOf(message ?? error),
    ...(data !== undefined && !nestsDeeper(data, MAX_PARAMS_DEPTH) && { data }),
  };
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return nestsDeeper(value, MAX_PARAMS_DEPTH) ? "" : JSON.stringify(value);
}

function readParams(params: unknown): Record<string, unknown> | undefined {
  return isJsonObject(params) ? withMeta(params, isAskedMeta) : undefined;
}

/** The same object where its `_meta` can stay. */
function withMeta(
  fields: Record<string, unknown>,
  isUsable: (meta: Readonly<Record<string, unknown>>) => boolean = () => true,
): Record<string, unknown> {
  const { _meta: meta, ...rest } = fields;
  if (meta === undefined || (isJsonObject(meta) && isUsable(meta))) return fields;
  return rest;
}

function isAskedMeta(meta: Readonly<Record<string, unknown>>): boolean {
  const { progressToken, [RELATED_TASK]: task } = meta;
  if (progressToken !== undefined && !isId(progressToken)) return false;
  return task === undefined || (isJsonObject(task) && typeof task["taskId"] === "string");
}

function isId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** One level deep, and two in an error: what lies below is never changed. */
function isSame(value: Readonly<Record<string, unknown>>, message: object): boolean {
  const fields = Object.entries(message);
  if (Object.keys(value).length !== fields.length) return false;
  return fields.every(([key, field]) => {
    if (key !== "error") return value[key] === field;
    const error = value[key];
    return isJsonObject(error) && isSameError(error, field as object);
  });
}

function isSameError(error: Readonly<Record<string, unknown>>, read: object): boolean {
  return Object.entries(read).every(([key, field]) => error[key] === field);
}

function idIn(text: string): RequestId | undefined {
  const head = text.slice(0, LOOK_CHARS);
  const tail = text.slice(-LOOK_CHARS);
  if (!head.includes('"jsonrpc"') && !tail.includes('"jsonrpc"')) return undefined;
  const found =
    ID_FIRST.exec(head)?.[1] ?? (ANSWER_FIRST.test(head) ? ID_LAST.exec(tail)?.[1] : undefined);
  if (found === undefined) return undefined;
  return found.startsWith('"') ? found.slice(1, -1) : Number(found);
}
