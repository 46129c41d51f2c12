import { cutMiddle } from "../text/cut-middle.ts";

const MAX_DEPTH = 12;
/** Below this a piece says nothing any more; then whole pieces are left out instead, and counted. */
const MIN_PART_CHARS = 120;

/**
 * Renders named values of a trace as indented text of about `maxChars` characters at most. Short values stay whole; long
 * ones lose their middle, with the number of characters left out. Of very many steps or keys the first and last remain.
 * Cycles, big integers and functions are named, not fatal.
 */
export function renderTrace(
  entries: readonly (readonly [string, unknown])[],
  maxChars: number,
): string {
  const parts = entries.map(([name, value]) => {
    if (!Array.isArray(value)) return renderEntry(name, value, 0, []);
    const items = value.map((item, index) => `[${index + 1}] ${renderValue(item, 1, [value])}`);
    return `${name}:\n${fitParts(items, maxChars).join("\n")}`;
  });
  return fitParts(parts, maxChars).join("\n");
}

/** A value that should have been a text, as one. */
export function renderText(value: unknown, maxChars: number): string {
  return cutMiddle(renderValue(value, 0, []), maxChars);
}

/** Cuts parts so that together they have about `maxChars` characters: an equal share each, what short ones spare goes to the long. */
function fitParts(parts: readonly string[], maxChars: number): string[] {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  if (total <= maxChars) return [...parts];
  const room = Math.max(2, Math.floor(maxChars / MIN_PART_CHARS));
  const kept =
    parts.length <= room
      ? parts
      : [
          ...parts.slice(0, Math.ceil(room / 2)),
          `[… ${parts.length - room} entries left out …]`,
          ...parts.slice(parts.length - Math.floor(room / 2)),
        ];
  const share = fairShare(
    kept.map((part) => part.length),
    maxChars,
  );
  return kept.map((part) => cutMiddle(part, share));
}

/** The largest length at which all parts, cut to it, fit into `maxChars`. */
function fairShare(lengths: readonly number[], maxChars: number): number {
  let left = maxChars;
  const ascending = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (length > share) return Math.max(share, MIN_PART_CHARS);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

function renderEntry(
  name: string,
  value: unknown,
  depth: number,
  parents: readonly object[],
): string {
  const text = renderValue(value, depth + 1, parents);
  const isBlock = typeof value === "object" && value !== null && text.includes("\n");
  return `${name}:${isBlock ? `\n${"  ".repeat(depth + 1)}` : " "}${text}`;
}

function renderValue(value: unknown, depth: number, parents: readonly object[]): string {
  if (typeof value === "string") return value.replaceAll("\n", newLine(depth));
  if (typeof value === "object" && value !== null) return renderObject(value, depth, parents);
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  return String(value);
}

function renderObject(value: object, depth: number, parents: readonly object[]): string {
  if (parents.includes(value)) return "[circular]";
  if (depth > MAX_DEPTH) return compactJson(value);
  const plain = plainForm(value);
  const path = [...parents, value];
  if (typeof plain === "string") return plain;
  if (Array.isArray(plain)) {
    if (plain.length === 0) return "[]";
    return plain.map((item) => `- ${renderValue(item, depth + 1, path)}`).join(newLine(depth));
  }
  const entries = Object.entries(plain);
  if (entries.length === 0) return "{}";
  return entries.map(([name, item]) => renderEntry(name, item, depth, path)).join(newLine(depth));
}

/** Objects whose content is not in their own keys. */
function plainForm(value: object): object | string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "null" : value.toISOString();
  if (value instanceof Map) return Object.fromEntries(value);
  return value instanceof Set ? [...value] : value;
}

function newLine(depth: number): string {
  return `\n${"  ".repeat(depth)}`;
}

function compactJson(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "[nested too deeply to print]";
  }
}
