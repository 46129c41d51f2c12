import { realpath } from "node:fs/promises";
import { agentError, type SessionStore } from "@acumen/agent";

/**
 * The id that is meant: `last` is the newest session of the current folder.
 * @throws AGENT_SESSION_NOT_FOUND when there is none
 */
export async function sessionIdOf(
  name: string,
  store: Pick<SessionStore, "list">,
): Promise<string> {
  if (name !== "last") return name;
  const cwd = await realpath(process.cwd());
  const { sessions } = await store.list({ workspace: cwd, limit: 1 });
  const [newest] = sessions;
  if (newest !== undefined) return newest.session_id;
  throw agentError(
    "AGENT_SESSION_NOT_FOUND",
    `${cwd} has no session yet. \`acumen sessions list\` shows those of all folders.`,
  );
}
