import type { EventDraft } from "../events/session-event.ts";
import type { Redactor } from "../redaction/redactor.ts";

/** Kept as they are: what a provider wants back unchanged, and Base64. */
const VERBATIM = new Set(["provider_metadata", "data", "blob"]);

/** The event without secrets, in every text of it. */
export function redactEvent<Draft extends EventDraft>(draft: Draft, redact: Redactor): Draft {
  return { ...draft, payload: redactValue(draft.payload, redact) } as Draft;
}

function redactValue(value: unknown, redact: Redactor): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isVerbatim(key, item) ? item : redactValue(item, redact),
    ]),
  );
}

/** `data` of a structured block is a value of a tool like any other. */
function isVerbatim(key: string, value: unknown): boolean {
  return VERBATIM.has(key) && (key === "provider_metadata" || typeof value === "string");
}
