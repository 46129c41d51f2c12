import type { EventPayload, EventType } from "@acumen/agent";
import { oneLine } from "./wire-text.ts";

export interface NoticeText {
  readonly severity: "info" | "warning" | "error";
  /** Says it alone, on one line. */
  readonly title: string;
  readonly description?: string;
}

/** Events that a person should know of, whatever the host can show. */
type NoticeType = Extract<
  EventType,
  | "AUTO_CONTINUE"
  | "AUTO_STOP"
  | "BLOCKED"
  | "COMPACT"
  | "ERROR"
  | "MCP_STATUS"
  | "SKILLS_APPLIED"
  | "FEEDBACK"
  | "FILES_RESTORED"
>;

const MAX_TITLE_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 1_000;
const NAMED_FILES = 5;

/** Undefined: there is nothing to say. */
export const NOTICE_TEXTS: {
  readonly [Type in NoticeType]: (payload: EventPayload<Type>) => NoticeText | undefined;
} = {
  AUTO_CONTINUE: ({ reason }) => said("info", `Goes on by itself: ${words(reason)}`),
  AUTO_STOP: ({ reason, limit }) =>
    said("warning", `Stopped by a limit: ${words(reason)} (${limit})`),
  BLOCKED: ({ reason, detail }) => said("warning", `Blocked: ${words(reason)}`, detail),
  COMPACT: ({ tokens_before: before, tokens_after: after }) =>
    said("info", `History compacted: ${before} -> ${after} tokens`),
  ERROR: ({ code, message, source, retryable }) =>
    said(retryable ? "warning" : "error", `${code} (${source})`, message),
  MCP_STATUS: serverText,
  SKILLS_APPLIED: ({ skill_ids: ids, reason }) =>
    ids.length === 0
      ? undefined
      : said("info", `${count(ids.length, "skill")} of the skillbook applied`, reason),
  FEEDBACK: ({ rating, text }) => said("info", `Turn rated ${rating}`, text),
  FILES_RESTORED: ({ paths }) =>
    said("info", `${count(paths.length, "file")} restored`, namedFiles(paths)),
};

/** Nothing while a server connects, and nothing of one that is defined and not used here. */
function serverText({
  server,
  state,
  previous,
  reason,
}: EventPayload<"MCP_STATUS">): NoticeText | undefined {
  const isUnused = state === "disabled" && previous === null && reason === null;
  if (state === "connecting" || isUnused) return undefined;
  const isBad = state === "error" || state === "missing";
  return said(isBad ? "warning" : "info", `MCP server ${server}: ${state}`, reason ?? "");
}

function said(severity: NoticeText["severity"], title: string, more = ""): NoticeText {
  const description = oneLine(more, MAX_DESCRIPTION_CHARS);
  return {
    severity,
    title: oneLine(title, MAX_TITLE_CHARS),
    ...(description !== "" && { description }),
  };
}

function namedFiles(paths: readonly string[]): string {
  const more = paths.length - NAMED_FILES;
  return `${paths.slice(0, NAMED_FILES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}
