const UNSENDABLE = /[\0\p{Cs}]/gu;
const REPLACEMENT = "\uFFFD";

/** The value with texts that every JSON reader takes: some refuse a whole message for half a character or a NUL. */
export function sendable<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return value.replace(UNSENDABLE, REPLACEMENT);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.replace(UNSENDABLE, REPLACEMENT), clean(item)]),
  );
}

/** The beginning of a text that is too long, without half a character. */
export function shortened(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${wholeStart(text.slice(0, maxChars))}…`;
}

/** Without the first half of a character at its end. */
export function wholeStart(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}

/** On one line, without control characters. */
export function oneLine(text: string, maxChars: number): string {
  return shortened(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim(), maxChars);
}

/** A text that hosts show as it is, although they read Markdown. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
