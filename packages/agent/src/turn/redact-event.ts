import type { EventDraft } from "../events/session-event.ts";
import { redactedBase64 } from "../redaction/redacted-bytes.ts";

type RedactText = (text: string) => string;
type Redact = (value: unknown, redact: RedactText) => unknown;
type Entries = [key: string, item: unknown][];

const asItIs: Redact = (value) => value;

/** Fields of payloads that are more than texts under names of ours; what a provider wants back has to stay unchanged. */
const PAYLOAD_FIELDS: ReadonlyMap<string, Redact> = new Map([
  ["ASSISTANT_MESSAGE.provider_metadata", asItIs],
  ["TOOL_CALL.provider_metadata", asItIs],
  ["TOOL_CALL.input", redactMadeUp],
  ["USER_MESSAGE.content", redactBlocks],
  ["TOOL_RESULT.output", redactBlocks],
]);
const BLOCK_FIELDS: ReadonlyMap<string, Redact> = new Map([
  ["image.data", redactBytes],
  ["audio.data", redactBytes],
  ["resource.blob", redactBytes],
  ["structured.data", redactMadeUp],
]);

/** The event without secrets, in every text of it and in the names of fields that a model or a tool made up. */
export function redactEvent<Draft extends EventDraft>(draft: Draft, redact: RedactText): Draft {
  const payload = redactBy(PAYLOAD_FIELDS, draft.type, draft.payload, redact);
  return { ...draft, payload } as Draft;
}

function redactBlocks(blocks: unknown, redact: RedactText): unknown {
  if (!Array.isArray(blocks)) return redactNamed(blocks, redact);
  return blocks.map((block: { readonly type: string }) =>
    redactBy(BLOCK_FIELDS, block.type, block, redact),
  );
}

function redactBy(
  fields: ReadonlyMap<string, Redact>,
  type: string,
  value: object,
  redact: RedactText,
): unknown {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const redactField = fields.get(`${type}.${key}`) ?? redactNamed;
      return [key, redactField(item, redact)];
    }),
  );
}

/** Base64 of pictures and the like stays as it is; of a text it loses the secrets; what is none may be anything. */
function redactBytes(value: unknown, redact: RedactText): unknown {
  const safe = typeof value === "string" ? redactedBase64(value, redact) : undefined;
  return safe ?? redactNamed(value, redact);
}

/** Fields whose names are in our own schemas: the names stay. */
function redactNamed(value: unknown, redact: RedactText): unknown {
  return redacted(value, redact, (entries) =>
    entries.map(([key, item]) => [key, redactNamed(item, redact)]),
  );
}

/** What a model or a tool made up: the names of fields may be secrets too. No field is lost when two become the same. */
export function redactMadeUp(value: unknown, redact: RedactText): unknown {
  return redacted(value, redact, (entries) => {
    const used = new Set(entries.map(([key]) => key).filter((key) => redact(key) === key));
    return entries.map(([key, item]) => [
      used.has(key) ? key : unused(redact(key), used),
      redactMadeUp(item, redact),
    ]);
  });
}

function unused(key: string, used: Set<string>): string {
  let own = key;
  for (let number = 2; used.has(own); number += 1) own = `${key} ${number}`;
  used.add(own);
  return own;
}

function redacted(
  value: unknown,
  redact: RedactText,
  fields: (entries: Entries) => Entries,
): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact, fields));
  if (typeof value !== "object" || value === null) return value;
  // Also a field named `__proto__` stays one.
  return Object.fromEntries(fields(Object.entries(value)));
}
