import type { Redactor } from "./redactor.ts";

/** Looked at behind what is shown: hiding makes texts shorter. */
const AHEAD_CHARS = 4096;

/**
 * The beginning of a text of any length, without secrets. Secrets are looked for before anything is cut: half of one would not be
 * found any more, and is not shown either.
 * @param chars at most
 */
export function redactedHead(text: string, chars: number, redact: Redactor): string {
  const looked = chars + AHEAD_CHARS;
  // A stream keeps back what could be the beginning of a secret.
  const safe = text.length <= looked ? redact(text) : redact.stream().push(text.slice(0, looked));
  return safe.slice(0, chars);
}
