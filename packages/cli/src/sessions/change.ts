import { EventLog, forkSession, openWorkspace, undoTo } from "@acumen/agent";
import { systemClock } from "@acumen/core";
import type { CommandContext } from "../command-context.ts";
import { homeOf } from "../settings/home.ts";
import { printable } from "../terminal/printable.ts";
import { openStore } from "./open-store.ts";

type Context = Pick<CommandContext, "environment">;

/**
 * @returns the id of the new session
 * @throws AGENT_SESSION_NOT_FOUND, AGENT_EVENT_UNKNOWN
 */
export async function fork(context: Context, id: string, atSeq?: number): Promise<string> {
  const options = { clock: systemClock, ...(atSeq !== undefined && { atSeq }) };
  const { session_id: sessionId } = await forkSession(openStore(context), id, options);
  return sessionId;
}

/** @throws AGENT_SESSION_LOCKED while another process has it open */
export async function deleteSession(context: Context, id: string): Promise<void> {
  await openStore(context).delete(id);
}

interface Undone {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

/** @throws AGENT_SESSION_NOT_FOUND, AGENT_SESSION_LOCKED, AGENT_WORKSPACE_INVALID, AGENT_UNDO_REFUSED */
export async function undo(context: Context, id: string, toSeq: number): Promise<Undone> {
  const opened = await openStore(context).open(id);
  try {
    const { cwd, additional_directories: additionalDirectories } = opened.meta;
    const { folder: home } = homeOf(context.environment.variables);
    const workspace = await openWorkspace({ cwd, additionalDirectories, home });
    const log = new EventLog(opened, { clock: systemClock });
    return await undoTo(opened, log, { workspace, toSeq });
  } finally {
    await opened.close();
  }
}

export function undoneLines({ restored, removed }: Undone): string[] {
  return [
    ...restored.map((path) => `restored ${printable(path)}`),
    ...removed.map((path) => `removed ${printable(path)}`),
  ];
}
