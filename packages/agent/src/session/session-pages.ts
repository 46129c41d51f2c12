import { agentError } from "../errors.ts";
import type { SessionMeta } from "./session-meta.ts";
import type { ListOptions, SessionPage } from "./session-store.ts";

const DEFAULT_LIMIT = 50;

/** Where a page ended: the next one begins behind this time and id, whatever came or went since. */
interface Place {
  readonly updated_at: string;
  readonly session_id: string;
}

/**
 * One page of sessions, newest first; those of one instant by id.
 * @throws AGENT_CURSOR_INVALID
 */
export function pageOf(metas: readonly SessionMeta[], options: ListOptions): SessionPage {
  const { workspace, cursor, limit = DEFAULT_LIMIT } = options;
  const after = cursor === undefined ? undefined : placeOf(cursor);
  const rest = metas
    .filter((meta) => workspace === undefined || meta.cwd === workspace)
    .filter((meta) => after === undefined || newestFirst(after, meta) < 0)
    .sort(newestFirst);
  const sessions = rest.slice(0, Math.max(1, limit));
  const last = sessions.at(-1);
  if (last === undefined || sessions.length === rest.length) return { sessions };
  return { sessions, nextCursor: cursorOf(last) };
}

function newestFirst(one: Place, other: Place): number {
  if (one.updated_at !== other.updated_at) return one.updated_at > other.updated_at ? -1 : 1;
  if (one.session_id === other.session_id) return 0;
  return one.session_id > other.session_id ? -1 : 1;
}

function cursorOf({ updated_at, session_id }: Place): string {
  return Buffer.from(JSON.stringify([updated_at, session_id])).toString("base64url");
}

function placeOf(cursor: string): Place {
  const place = decoded(cursor);
  if (!Array.isArray(place) || place.length !== 2) throw invalid();
  const [updated_at, session_id] = place as unknown[];
  if (typeof updated_at !== "string" || typeof session_id !== "string") throw invalid();
  return { updated_at, session_id };
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function invalid(): Error {
  return agentError(
    "AGENT_CURSOR_INVALID",
    "The cursor is not one that a list of sessions gave. Begin again without a cursor.",
  );
}
