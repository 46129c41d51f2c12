import { coreError } from "./errors.ts";

export interface JsonLimits {
  /** Characters of text. */
  readonly maxChars?: number;
  /** Nested arrays and objects. Default 100. */
  readonly maxDepth?: number;
}

const DEFAULT_MAX_DEPTH = 100;

/**
 * Parses JSON from outside with limits on size and depth.
 * @throws CORE_JSON_INVALID naming the limit or the position; the text itself is never repeated in the message.
 */
export function parseJson(text: string, limits: JsonLimits = {}): unknown {
  const { maxChars = Number.POSITIVE_INFINITY, maxDepth = DEFAULT_MAX_DEPTH } = limits;
  if (text.length > maxChars) {
    throw coreError(
      "CORE_JSON_INVALID",
      `The JSON text has ${text.length} characters; at most ${maxChars} are accepted.`,
      {
        details: { chars: text.length, max_chars: maxChars },
      },
    );
  }
  if (deepestNesting(text) > maxDepth) {
    throw coreError("CORE_JSON_INVALID", `The JSON text nests deeper than ${maxDepth} levels.`, {
      details: { max_depth: maxDepth },
    });
  }
  const withoutBom = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return JSON.parse(withoutBom) as unknown;
  } catch (cause) {
    const position = cause instanceof Error ? /position \d+/.exec(cause.message)?.[0] : undefined;
    throw coreError(
      "CORE_JSON_INVALID",
      `The text is not valid JSON${position ? ` (at ${position})` : ""}.`,
      { cause },
    );
  }
}

/** True for a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Counted on the text, because `JSON.parse` of a million brackets would exhaust the stack first. Strings are jumped over: they are most
 * of a large file, and a native search passes them ten times faster than a loop over their characters.
 */
function deepestNesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      index = endOfString(text, index + 1);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return deepest;
}

/** Position of the quote that ends a string; the end of the text when none does. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start);
  while (quote !== -1 && isEscaped(text, quote, start)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote;
}

function isEscaped(text: string, quote: number, start: number): boolean {
  let first = quote;
  while (first > start && text.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (quote - first) % 2 === 1;
}
