import type { ContentBlock, SessionEvent } from "@acumen/agent";

/** Key of an event's record in `_meta`. */
export const EVENT_KEY = "acumen/event";

/** Characters of a text that ride in a record: whole texts stand in the update itself. */
const MAX_TEXT_CHARS = 2_000;

/** `{seq, type, payload}` of an event for a host that reads the structured stream; bulky content is left out. */
export function eventMeta({ seq, type, payload }: SessionEvent): {
  readonly [EVENT_KEY]: Readonly<Record<string, unknown>>;
} {
  return { [EVENT_KEY]: { seq, type, payload: lightened(payload) } };
}

function lightened(payload: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(payload)
      .filter(([key]) => key !== "provider_metadata")
      .map(([key, value]) => [key, lightValue(key, value)]),
  );
}

function lightValue(key: string, value: unknown): unknown {
  if (typeof value === "string") return shortened(value);
  if (key === "content" || key === "output") return (value as ContentBlock[]).map(lightBlock);
  if (key === "diff") return (value as { path: string }[]).map(({ path }) => ({ path }));
  if (key === "input") return undefined;
  return value;
}

function lightBlock(block: ContentBlock): Readonly<Record<string, unknown>> {
  if (block.type === "text") return { type: "text", text: shortened(block.text) };
  const { type } = block;
  return { type, ...("uri" in block && { uri: block.uri }) };
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS)}…`;
}
