import { AcumenError } from "@acumen/core";
import { redactMadeUp } from "./redact-event.ts";

/** Causes of causes that are looked at. */
const MAX_DEPTH = 10;

/**
 * The error without secrets in its message and details. Where there was one, its causes are left out: they are kept for
 * whoever looks for a fault, and say the same again.
 */
export function redactError(error: unknown, redact: (text: string) => string): unknown {
  if (!(error instanceof Error) && !AcumenError.isInstance(error)) return error;
  let found = false;
  const noting = (text: string): string => {
    const safe = redact(text);
    if (safe !== text) found = true;
    return safe;
  };
  const message = noting(error.message);
  const details = AcumenError.isInstance(error) ? redactMadeUp(error.details, noting) : {};
  lookThrough(error.cause, noting);
  if (!found) return error;
  if (!AcumenError.isInstance(error)) return new Error(message);
  const { code, retryable } = error;
  return new AcumenError({ code, retryable, message, details: details as AcumenError["details"] });
}

function lookThrough(cause: unknown, note: (text: string) => void, depth = 0): void {
  if (typeof cause === "string") note(cause);
  if (!(cause instanceof Error) || depth === MAX_DEPTH) return;
  note(cause.message);
  if (AcumenError.isInstance(cause)) note(JSON.stringify(cause.details));
  lookThrough(cause.cause, note, depth + 1);
}
