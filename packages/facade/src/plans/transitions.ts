import { PLAN_PHASES, type Plan, type PlanPhase, type PlanState } from "./plan.ts";

/** Where a plan stands: phase and state. Only those that occur. */
export const PLAN_POINTS = [
  "strategize/queued",
  "strategize/processing",
  "strategize/complete",
  "strategize/errored",
  "strategize/cancelled",
  "execute/queued",
  "execute/processing",
  "execute/complete",
  "execute/errored",
  "execute/cancelled",
  "apply/queued",
  "apply/processing",
  "apply/applied",
  "apply/constrained",
  "apply/errored",
  "apply/cancelled",
] as const;
export type PlanPoint = (typeof PLAN_POINTS)[number];

export const PLAN_TRIGGERS = [
  "create",
  "take",
  "finish",
  "fail",
  "requeue",
  "execute",
  "apply",
  "merge",
  "constrain",
  "cancel",
  "retry",
  "revert",
] as const;
/** `take`: a worker begins; `requeue`: its process ended before it did. */
export type PlanTrigger = (typeof PLAN_TRIGGERS)[number];

export interface Transition {
  /** Null: there was no plan. */
  readonly from: PlanPoint | null;
  readonly trigger: PlanTrigger;
  readonly to: PlanPoint;
  /** Types of the events that tell of it, in the same commit. */
  readonly events: readonly string[];
}

const ACTIVE = ["queued", "processing", "complete"] as const;

function row(
  from: PlanPoint | null,
  trigger: PlanTrigger,
  to: PlanPoint,
  ...events: readonly string[]
): Transition {
  return { from, trigger, to, events };
}

/** What a worker does is the same in each phase, but for how it ends well. */
function workOf(phase: PlanPhase): readonly Transition[] {
  return [
    row(`${phase}/queued`, "take", `${phase}/processing`, "plan.state_changed"),
    row(`${phase}/processing`, "fail", `${phase}/errored`, "plan.errored"),
    row(`${phase}/processing`, "requeue", `${phase}/queued`, "plan.state_changed"),
    row(`${phase}/errored`, "retry", `${phase}/queued`, "plan.retried"),
  ];
}

function cancelled(phase: PlanPhase): readonly Transition[] {
  const states: readonly string[] =
    phase === "apply" ? ["queued", "processing", "constrained", "errored"] : [...ACTIVE, "errored"];
  return states.map((state) =>
    row(`${phase}/${state}` as PlanPoint, "cancel", `${phase}/cancelled`, "plan.cancelled"),
  );
}

/** Every way from one point to another; there is no other. */
export const TRANSITIONS: readonly Transition[] = [
  row(null, "create", "strategize/queued", "plan.created"),
  ...PLAN_PHASES.flatMap(workOf),
  row("strategize/processing", "finish", "strategize/complete", "plan.state_changed"),
  row("strategize/complete", "execute", "execute/queued", "plan.phase_changed"),
  row(
    "execute/processing",
    "finish",
    "execute/complete",
    "checkpoint.created",
    "plan.state_changed",
  ),
  row("execute/complete", "apply", "apply/queued", "plan.phase_changed"),
  row("apply/constrained", "apply", "apply/queued", "plan.state_changed"),
  row("apply/errored", "apply", "apply/queued", "plan.state_changed"),
  row("apply/processing", "merge", "apply/applied", "sandbox.committed", "plan.applied"),
  row("apply/processing", "constrain", "apply/constrained", "plan.constrained"),
  ...(["execute/errored", "execute/complete", "apply/constrained", "apply/errored"] as const).map(
    (from) => row(from, "revert", "strategize/queued", "plan.reverted"),
  ),
  ...PLAN_PHASES.flatMap(cancelled),
];

const BY_PLACE = new Map(TRANSITIONS.map((entry) => [`${entry.from} ${entry.trigger}`, entry]));

export function pointOf({ phase, state }: Pick<Plan, "phase" | "state">): PlanPoint {
  return `${phase}/${state}` as PlanPoint;
}

/** Undefined: it does not lead anywhere from there. */
export function transitionOf(from: PlanPoint | null, trigger: PlanTrigger): Transition | undefined {
  return BY_PLACE.get(`${from} ${trigger}`);
}

/** Applied or cancelled: nothing happens to it any more. */
export function isFinal({ state }: Pick<Plan, "state">): boolean {
  return state === "applied" || state === "cancelled";
}

/** States from which a restart goes on, or which still have a sandbox. */
export const UNFINISHED_STATES: readonly PlanState[] = [
  "queued",
  "processing",
  "complete",
  "errored",
  "constrained",
];
