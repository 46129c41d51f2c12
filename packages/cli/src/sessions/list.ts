import { realpath } from "node:fs/promises";
import type { SessionMeta } from "@acumen/agent";
import type { CommandContext } from "../command-context.ts";
import { printable, shortened } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { openStore } from "./open-store.ts";

type SessionRow = Pick<
  SessionMeta,
  "session_id" | "cwd" | "title" | "model" | "mode" | "created_at" | "updated_at"
>;

/** One page, in the form that machines get. */
interface Page {
  readonly sessions: readonly SessionRow[];
  readonly next_cursor: string | null;
  /** Sessions that cannot be listed; absent when there are none. */
  readonly unreadable?: readonly { readonly session_id: string; readonly reason: string }[];
}

interface PageChoice {
  readonly limit: number;
  readonly cursor?: string;
  readonly cwd?: string;
}

/** @throws AGENT_CURSOR_INVALID */
export async function listSessions(
  context: Pick<CommandContext, "environment">,
  { limit, cursor, cwd }: PageChoice,
): Promise<Page> {
  const { sessions, nextCursor, unreadable } = await openStore(context).list({
    limit,
    ...(cursor !== undefined && { cursor }),
    // A folder that is gone still has its sessions.
    ...(cwd !== undefined && { workspace: await realpath(cwd).catch(() => cwd) }),
  });
  return {
    sessions: sessions.map(rowOf),
    next_cursor: nextCursor ?? null,
    ...(unreadable !== undefined && { unreadable }),
  };
}

export function rowOf(meta: SessionMeta): SessionRow {
  const { session_id, cwd, title, model, mode, created_at, updated_at } = meta;
  return { session_id, cwd, title, model, mode, created_at, updated_at };
}

export function pageLines(
  { colours, width }: Pick<Terminal, "colours" | "width">,
  { sessions, next_cursor: next, unreadable = [] }: Page,
  { cwd, limit }: PageChoice,
): string[] {
  const { bold, dim, yellow } = colours;
  const lines = sessions.flatMap((session) => [
    `${bold(session.session_id)}  ${moment(session.updated_at)}  ${session.mode}`,
    `  ${session.title === "" ? "(no prompt yet)" : shortened(session.title, width - 2)}`,
    dim(`  ${printable(session.model)} in ${printable(session.cwd)}`),
  ]);
  const filter = cwd === undefined ? "" : ` --cwd ${printable(cwd)}`;
  return [
    ...(lines.length > 0 ? lines : [cwd === undefined ? "No sessions yet." : "No sessions here."]),
    ...unreadable.map(({ session_id: id, reason }) =>
      yellow(`${printable(id)} cannot be read: ${printable(reason)}`),
    ),
    ...(next === null
      ? []
      : ["", `More: acumen sessions list${filter} --limit ${limit} --cursor ${next}`]),
  ];
}

/** To the minute, in the time zone of whoever looks. */
export function moment(timestamp: string): string {
  const time = new Date(timestamp);
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
