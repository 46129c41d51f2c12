import { agentError } from "../errors.ts";
import type { SessionEvent } from "../events/session-event.ts";

export const RATINGS = ["good", "bad"] as const;
export type Rating = (typeof RATINGS)[number];

export interface RatedTurn {
  readonly turnId: string;
  /** Of this turn, in order. */
  readonly events: readonly SessionEvent[];
}

/**
 * The turn that a rating is about: the one named, else the last finished one. A turn is finished when something came of its prompt and
 * no call of it is without a result.
 * @throws AGENT_FEEDBACK_INVALID
 */
export function ratedTurn(events: readonly SessionEvent[], turnId?: string): RatedTurn {
  const turns = turnsOf(events);
  if (turnId === undefined) {
    const last = turns.findLast(isFinished);
    if (last) return last;
    throw agentError(
      "AGENT_FEEDBACK_INVALID",
      "There is no finished turn to rate in this session. Let it answer a prompt first.",
    );
  }
  const named = turns.find((turn) => turn.turnId === turnId);
  if (named && isFinished(named)) return named;
  const fault = named ? "has not finished" : "does not exist";
  throw agentError(
    "AGENT_FEEDBACK_INVALID",
    `The turn ${JSON.stringify(turnId.slice(0, 64))} ${fault}, so it cannot be rated. Rate a finished turn of this session.`,
    { details: { turn_id: turnId.slice(0, 64) } },
  );
}

function turnsOf(events: readonly SessionEvent[]): RatedTurn[] {
  const turns = new Map<string, SessionEvent[]>();
  for (const event of events) {
    if (event.turn_id === null) continue;
    const turn = turns.get(event.turn_id);
    if (turn) turn.push(event);
    else turns.set(event.turn_id, [event]);
  }
  return Array.from(turns, ([turnId, own]) => ({ turnId, events: own }));
}

const OUTCOMES = new Set<string>([
  "ASSISTANT_MESSAGE",
  "TOOL_RESULT",
  "BLOCKED",
  "AUTO_STOP",
  "ERROR",
]);

function isFinished({ events }: RatedTurn): boolean {
  const open = new Set<string>();
  for (const { type, payload } of events) {
    if (type === "TOOL_CALL") open.add(payload.call_id);
    if (type === "TOOL_RESULT") open.delete(payload.call_id);
  }
  return (
    open.size === 0 &&
    events.some(({ type }) => type === "USER_MESSAGE") &&
    events.some(({ type }) => OUTCOMES.has(type))
  );
}
