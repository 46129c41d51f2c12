import type { CodingSession } from "@acumen/agent";
import type { OpenedAgent } from "../agent/open-agent.ts";

/** Somebody said something in it. */
export function isUsed({ events }: CodingSession): boolean {
  return events.some(({ type }) => type === "USER_MESSAGE");
}

/**
 * Closes a session, and deletes one in which nobody said anything: as the newest one it would only be in the way.
 * @throws AGENT_STORE_FAILED
 */
export async function leaveSession(
  { agent }: Pick<OpenedAgent, "agent">,
  session: CodingSession,
): Promise<void> {
  const isEmpty = !isUsed(session);
  await session.close();
  if (isEmpty) await agent.store.delete(session.id);
}
