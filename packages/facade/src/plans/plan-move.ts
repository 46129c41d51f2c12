import type { AcpEventDraft } from "../envelope/acp-event.ts";
import { eventDraft } from "../events/event-draft.ts";
import type { AcpEventData, AcpLogEventType } from "../events/event-types.ts";
import type { Plan, PlanPhase, PlanState } from "./plan.ts";
import { type PlanTrigger, pointOf, transitionOf } from "./transitions.ts";

/** A plan as it shall stand, with what is told about it. */
export interface PlanChange {
  readonly plan: Plan;
  readonly drafts: readonly AcpEventDraft[];
}

export type PlanPatch = Partial<
  Omit<Plan, "plan_id" | "owner" | "version" | "phase" | "state" | "updated_at" | "created_at">
>;

/** The next version of a plan that stays where it is. */
export function changed(plan: Plan, patch: PlanPatch, now: Date): Plan {
  return { ...plan, ...patch, version: plan.version + 1, updated_at: now.toISOString() };
}

/** The next version of a plan by a row of the table. @throws Error when there is none: a fault of the caller */
export function moved(plan: Plan, trigger: PlanTrigger, patch: PlanPatch, now: Date): Plan {
  const transition = transitionOf(pointOf(plan), trigger);
  if (transition === undefined) {
    throw new Error(`No transition ${trigger} from ${pointOf(plan)}.`);
  }
  const [phase, state] = transition.to.split("/") as [PlanPhase, PlanState];
  return {
    ...changed(plan, patch, now),
    phase,
    state,
    ...(state === "processing" && { phase_started_at: now.toISOString() }),
  };
}

/** An event of a plan; what its data must hold is checked when it compiles. */
export function planEvent<Type extends AcpLogEventType>(
  plan: Pick<Plan, "plan_id" | "session_id">,
  type: Type,
  data: AcpEventData<Type>,
): AcpEventDraft {
  return eventDraft(type, data, plan);
}

type PlanPlace = Pick<Plan, "phase" | "state" | "attempt" | "version" | "waiting_for">;

/** Where a plan stands now, as each event of a change of state says it. */
export function placeOf({ phase, state, attempt, version, waiting_for }: Plan): PlanPlace {
  return { phase, state, attempt, version, waiting_for };
}

export function stateChanged(plan: Plan, before: Plan): AcpEventDraft {
  return planEvent(plan, "plan.state_changed", { ...placeOf(plan), previous_state: before.state });
}

export function phaseChanged(plan: Plan, before: Plan): AcpEventDraft {
  return planEvent(plan, "plan.phase_changed", { ...placeOf(plan), previous_phase: before.phase });
}
