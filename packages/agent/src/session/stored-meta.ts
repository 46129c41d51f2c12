import { isJsonObject } from "@acumen/core";
import { textOf } from "../content/content-block.ts";
import type { EventPayload, SessionEvent } from "../events/session-event.ts";
import { type SessionMeta, sessionMetaSchema } from "./session-meta.ts";
import { levelField } from "./thought-level-field.ts";

export type ParsedMeta =
  | { readonly ok: true; readonly meta: SessionMeta }
  /** `newer`: a later version wrote it, so it is whole and must not be replaced. */
  | { readonly ok: false; readonly newer: boolean; readonly reason: string };

const FORMAT = "acumen.session";
const VERSION = 1;
const TITLE_CHARS = 80;

/** Reads the text of a `meta.json`. Never throws. */
export function parseMeta(text: string, sessionId: string): ParsedMeta {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    return { ok: false, newer: false, reason: "its metadata is no JSON" };
  }
  if (isJsonObject(value) && value["format"] === FORMAT && Number(value["version"]) > VERSION) {
    const version = String(Number(value["version"]));
    const reason = `a newer version of the program wrote it (format ${version}; this one reads ${VERSION})`;
    return { ok: false, newer: true, reason };
  }
  const parsed = sessionMetaSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined ? "" : ` (${issue.path.join(".")}: ${issue.message})`;
    return { ok: false, newer: false, reason: `its metadata is damaged${place}` };
  }
  if (parsed.data.session_id !== sessionId) {
    return { ok: false, newer: false, reason: "its metadata belongs to another session" };
  }
  return { ok: true, meta: parsed.data };
}

/**
 * The metadata that a log implies, for when the file of it is damaged and for forks; undefined without SESSION_CREATED.
 * Remembered decisions are nowhere but in the metadata, so they are gone: the person is asked again.
 */
export function metaFromEvents(events: readonly SessionEvent[]): SessionMeta | undefined {
  const created = events.find((event) => event.type === "SESSION_CREATED");
  if (created === undefined) return undefined;
  const { cwd, additional_directories, model, mode, thought_level } = created.payload;
  let meta: SessionMeta = {
    format: FORMAT,
    version: VERSION,
    session_id: created.session_id,
    cwd,
    additional_directories,
    title: "",
    model,
    mode,
    ...levelField(thought_level),
    remembered: [],
    created_at: created.timestamp,
    updated_at: created.timestamp,
  };
  for (const event of events) meta = followed(meta, event);
  return meta;
}

function followed(meta: SessionMeta, event: SessionEvent): SessionMeta {
  const { timestamp } = event;
  const next = { ...meta, updated_at: timestamp > meta.updated_at ? timestamp : meta.updated_at };
  if (event.type === "MODE_CHANGED") return { ...next, mode: event.payload.mode };
  if (event.type === "MODEL_CHANGED") return withModel(next, event.payload);
  if (event.type === "TITLE_CHANGED") return { ...next, title: event.payload.title };
  if (event.type === "SESSION_RESUMED") {
    return { ...withModel(next, event.payload), mode: event.payload.mode };
  }
  if (event.type === "USER_MESSAGE" && meta.title === "") {
    return { ...next, title: firstLine(textOf(event.payload.content)) };
  }
  return next;
}

function withModel(
  { thought_level: _former, ...meta }: SessionMeta,
  { model, thought_level: level }: EventPayload<"MODEL_CHANGED" | "SESSION_RESUMED">,
): SessionMeta {
  return { ...meta, model, ...levelField(level) };
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split(/\r?\n/, 1);
  return Array.from(line).slice(0, TITLE_CHARS).join("");
}
