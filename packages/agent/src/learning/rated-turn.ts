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
 * The turn that a rating is about: the one named, else the last finished one. A turn is finished when the model or the
 * runtime did something about its prompt and no call of it is without a result; what a local command printed is no such thing.
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
  const fault = faultOf(named);
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

function faultOf(turn: RatedTurn | undefined): string {
  if (turn === undefined) return "does not exist";
  return hasOpenCall(turn) || !isPrompted(turn)
    ? "has not finished"
    : "holds nothing but its prompt";
}

const OUTCOMES = new Set<string>(["TOOL_RESULT", "BLOCKED", "AUTO_STOP", "ERROR"]);

function isFinished(turn: RatedTurn): boolean {
  return isPrompted(turn) && !hasOpenCall(turn) && turn.events.some(isOutcome);
}

function isPrompted({ events }: RatedTurn): boolean {
  return events.some(({ type }) => type === "USER_MESSAGE");
}

function hasOpenCall({ events }: RatedTurn): boolean {
  const open = new Set<string>();
  for (const { type, payload } of events) {
    if (type === "TOOL_CALL") open.add(payload.call_id);
    if (type === "TOOL_RESULT") open.delete(payload.call_id);
  }
  return open.size > 0;
}

/** A local command's output, such as what is said of trust, is no outcome: the model had no part in it. */
function isOutcome({ type, payload }: SessionEvent): boolean {
  if (type === "ASSISTANT_MESSAGE") return payload.kind !== "command";
  return OUTCOMES.has(type);
}
