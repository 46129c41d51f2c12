import { isJsonObject } from "@acumen/core";

/** Ids where servers put them: at the beginning or at the end of a message. */
const ID = '"id"\\s*:\\s*(-?\\d{1,15}|"(?:[^"\\\\]|\\\\.){1,100}")';
const VERSION = '"jsonrpc"\\s*:\\s*"2\\.0"';
const FIRST = new RegExp(`^\\s*\\{\\s*(?:${VERSION}\\s*,\\s*${ID}|${ID}\\s*,\\s*${VERSION})\\s*,`);
const LAST = new RegExp(`,\\s*(?:${VERSION}\\s*,\\s*${ID}|${ID}\\s*,\\s*${VERSION})\\s*\\}\\s*$`);
const EDGE_CHARS = 300;
const INTERNAL_ERROR = -32_603;

/**
 * An answer that is none by the letter, as one: without metadata that is no object, or as an error that says what is wrong with it.
 * Whoever asked would wait until the time is up otherwise. Undefined: it answers nothing.
 */
export function repairedMessage(value: unknown): unknown {
  if (!isJsonObject(value) || value["method"] !== undefined) return undefined;
  const { jsonrpc, id, result, error } = value;
  // A line of a log may have an id too.
  if (jsonrpc !== "2.0") return undefined;
  if (typeof id !== "number" && typeof id !== "string") return undefined;
  if (isJsonObject(error)) {
    const { code, message } = error;
    const said = typeof message === "string" ? message : "It gave an error without a message.";
    return refusal(id, said, Number.isSafeInteger(code) ? (code as number) : INTERNAL_ERROR);
  }
  if (!isJsonObject(result)) return refusal(id, "It answered with a result that is no object.");
  const { _meta: meta, ...rest } = result;
  return { jsonrpc: "2.0", id, result: { ...rest, ...(isJsonObject(meta) && { _meta: meta }) } };
}

/** An error in place of an answer whose line could not be read as a whole. Undefined: it answers nothing, as far as can be seen. */
export function unreadableAnswer(line: string, why: string): unknown {
  const found = FIRST.exec(line.slice(0, EDGE_CHARS)) ?? LAST.exec(line.slice(-EDGE_CHARS));
  const id = found?.[1] ?? found?.[2];
  if (id === undefined || /^[^[{]*\{[^[{]*"method"\s*:/.test(line.slice(0, EDGE_CHARS)))
    return undefined;
  return refusal(JSON.parse(id) as string | number, `Its answer cannot be read: ${why}`);
}

function refusal(id: string | number, message: string, code = INTERNAL_ERROR): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
