import type { SessionMeta, SessionStore } from "@acumen/agent";
import type {
  ListSessionsRequest,
  ListSessionsResponse,
  SessionInfo,
} from "@agentclientprotocol/sdk";
import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { invalidParams } from "../errors/invalid-params.ts";

/** One page of the stored sessions, newest first. @throws RequestError, AGENT_CURSOR_INVALID, AGENT_STORE_FAILED */
export async function listSessions(
  store: SessionStore,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const { sessions, nextCursor } = await store.list({
    ...(isSaid(cwd) && { workspace: await folderOf(cwd) }),
    ...(isSaid(cursor) && { cursor }),
  });
  const entries = sessions.map(entryOf);
  return {
    // Under the name that the host has for the folder, which may be a link.
    sessions: isSaid(cwd) ? entries.map((entry) => ({ ...entry, cwd })) : entries,
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

/** Sessions of a folder that is gone are still found by the path that it had. */
async function folderOf(cwd: string): Promise<string> {
  if (!isAbsolute(cwd)) throw invalidParams("cwd", "an absolute path");
  return realpath(cwd).catch(() => cwd);
}

function entryOf(meta: SessionMeta): SessionInfo {
  const { session_id: sessionId, cwd, title, updated_at: updatedAt } = meta;
  return {
    sessionId,
    cwd,
    updatedAt,
    additionalDirectories: meta.additional_directories,
    ...(title !== "" && { title }),
  };
}

function isSaid<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
