import type { StoredSession } from "@acumen/agent";
import type { CommandContext } from "../command-context.ts";
import { transcriptLines } from "../events/transcript-lines.ts";
import { count } from "../terminal/count.ts";
import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { moment, rowOf } from "./list.ts";
import { openStore } from "./open-store.ts";
import { sessionIdOf } from "./session-id.ts";

/**
 * @param name id, or `last`
 * @throws AGENT_SESSION_NOT_FOUND, AGENT_SESSION_INVALID
 */
export async function readSession(
  context: Pick<CommandContext, "environment">,
  name: string,
): Promise<StoredSession> {
  const store = openStore(context);
  return store.read(await sessionIdOf(name, store));
}

/** Every event as it is stored. */
export function sessionRecord({
  meta,
  events,
  skipped,
}: StoredSession): Readonly<Record<string, unknown>> {
  return { session: rowOf(meta), events, ...(skipped.length > 0 && { skipped }) };
}

export function sessionLines(
  terminal: Pick<Terminal, "colours" | "width">,
  { meta, events, skipped }: StoredSession,
): string[] {
  const { bold, dim, yellow } = terminal.colours;
  return [
    bold(`${meta.session_id}  ${moment(meta.updated_at)}  ${meta.mode}`),
    dim(`${printable(meta.model)} in ${printable(meta.cwd)}`),
    "",
    ...events.flatMap((event) => transcriptLines(event, terminal)),
    ...damage(skipped).map((line) => yellow(line)),
  ];
}

function damage(skipped: StoredSession["skipped"]): string[] {
  const [first] = skipped;
  if (first === undefined) return [];
  const are = skipped.length === 1 ? "is" : "are";
  return [
    `${count(skipped.length, "place")} of the log ${are} damaged. The first: line ${first.line}, ${printable(first.reason)}.`,
  ];
}
