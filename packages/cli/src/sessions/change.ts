import { EventLog, forkSession, openWorkspace, undoTo } from "@acumen/agent";
import { systemClock } from "@acumen/core";
import type { CommandContext } from "../command-context.ts";
import { homeOf } from "../settings/home.ts";
import { printable } from "../terminal/printable.ts";
import { cliError } from "../errors.ts";
import { openStore } from "./open-store.ts";
import { sessionIdOf } from "./session-id.ts";

type Context = Pick<CommandContext, "environment">;

/**
 * @param name id, or `last`
 * @returns the id of the new session
 * @throws AGENT_SESSION_NOT_FOUND, AGENT_EVENT_UNKNOWN
 */
export async function fork(context: Context, name: string, atSeq?: number): Promise<string> {
  const options = { clock: systemClock, ...(atSeq !== undefined && { atSeq }) };
  const store = openStore(context);
  const id = await sessionIdOf(name, store);
  const { session_id: sessionId } = await forkSession(store, id, options);
  return sessionId;
}

/** @throws AGENT_SESSION_LOCKED while another process has it open; CLI_USAGE for `last`: what is gone for good is named */
export async function deleteSession(context: Context, id: string): Promise<void> {
  if (id === "last") {
    throw cliError(
      "CLI_USAGE",
      "A session is deleted by its id, not as `last`. `acumen sessions list` shows the ids.",
    );
  }
  await openStore(context).delete(id);
}

interface Undone {
  readonly sessionId: string;
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

/**
 * @param name id, or `last`
 * @throws AGENT_SESSION_NOT_FOUND, AGENT_SESSION_LOCKED, AGENT_WORKSPACE_INVALID, AGENT_UNDO_REFUSED
 */
export async function undo(context: Context, name: string, toSeq: number): Promise<Undone> {
  const store = openStore(context);
  const sessionId = await sessionIdOf(name, store);
  const opened = await store.open(sessionId);
  try {
    const { cwd, additional_directories: additionalDirectories } = opened.meta;
    const { folder: home } = homeOf(context.environment.variables);
    const workspace = await openWorkspace({ cwd, additionalDirectories, home });
    const log = new EventLog(opened, { clock: systemClock });
    return { sessionId, ...(await undoTo(opened, log, { workspace, toSeq })) };
  } finally {
    await opened.close();
  }
}

export function undoneLines({ restored, removed }: Omit<Undone, "sessionId">): string[] {
  return [
    ...restored.map((path) => `restored ${printable(path)}`),
    ...removed.map((path) => `removed ${printable(path)}`),
  ];
}
