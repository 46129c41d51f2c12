import { z } from "zod";
import { shownAfterChange } from "../errors/after-change.ts";
import { ISOLATIONS, type Plan, PLAN_PHASES, PLAN_STATES } from "../plans/plan.ts";
import type { PlanAnswer } from "../services/plan-lifecycle-service.ts";
import {
  approvalRecord,
  changesetRecord,
  conflictRecord,
  failureRecord,
  receiptRecord,
  strategyRecord,
  validationRecord,
} from "./plan-records.ts";

/** Lists of a plan that may be very long. */
export const PLAN_LISTS = ["changes", "steps", "conflicts", "validations"] as const;
export type PlanList = (typeof PLAN_LISTS)[number];

const MOST_SHOWN = 100;

/** What every answer about a plan has; the whole record follows it where it is asked for. */
const planHead = {
  plan_id: z.string(),
  /** The plan's state, as `state` says it. */
  status: z.enum(PLAN_STATES),
  phase: z.enum(PLAN_PHASES),
  state: z.enum(PLAN_STATES),
  version: z.number().int(),
  attempt: z.number().int(),
  waiting_for: z.string().nullable(),
  already: z.boolean().exactOptional(),
};

export const planHeadView = z.looseObject(planHead);

export const planView = z.looseObject({
  ...planHead,
  /** Nothing can happen to it any more. */
  terminal: z.boolean(),
  /** It stopped, and retry, revert or another apply may help. */
  recoverable: z.boolean(),
  isolation: z.enum(ISOLATIONS).nullable(),
  pending_approvals: z.array(approvalRecord),
  strategy: strategyRecord.nullable().exactOptional(),
  changeset: changesetRecord.nullable().exactOptional(),
  conflicts: z.array(conflictRecord).nullable().exactOptional(),
  validations: z.array(validationRecord).nullable().exactOptional(),
  error: failureRecord.nullable().exactOptional(),
  receipt: receiptRecord.nullable().exactOptional(),
  usage: z
    .looseObject({ inputTokens: z.number(), outputTokens: z.number() })
    .partial()
    .exactOptional(),
  /** Lists of which only the first 100 entries are here; `include` of plan.status gives them whole. */
  cut: z.array(z.enum(PLAN_LISTS)),
});

type Head = z.input<typeof planHeadView>;

/** A user's own service may know no more of a plan than its id, phase and state. */
export function headOfPlan(plan: Plan, already?: boolean): Head {
  return {
    plan_id: plan.plan_id,
    status: plan.state,
    phase: plan.phase,
    state: plan.state,
    version: plan.version ?? 1,
    attempt: plan.attempt ?? 1,
    waiting_for: plan.waiting_for ?? null,
    ...(already !== undefined && { already }),
  };
}

/** What a call that may have changed a plan answers. @throws what says that it was carried out all the same */
export function headAfterChange(answer: PlanAnswer): Head {
  return shownAfterChange(() => headOfPlan(answer.plan, answer.already));
}

/** @param include lists that are shown whole, however long */
export function viewOfPlan(
  plan: Plan,
  include: readonly PlanList[] = [],
): z.input<typeof planView> {
  const {
    owner: _owner,
    scopes: _scopes,
    token_id: _token,
    worker: _worker,
    allowed_calls: _allowed,
    // A whole patch, which plan.diff shows; a page of plans would be megabytes of them.
    archive: _archive,
    ...rest
  } = plan;
  return {
    ...rest,
    ...cutLists(plan, include),
    ...headOfPlan(plan),
    terminal: plan.state === "applied" || plan.state === "cancelled",
    recoverable: plan.state === "errored" || plan.state === "constrained",
    isolation: plan.isolation ?? null,
    usage: { ...plan.usage },
    pending_approvals: (plan.pending_approvals ?? []).map((each) => ({
      ...each,
      options: [...(each.options ?? [])],
    })),
  } as z.input<typeof planView>;
}

/** Of a plan with thousands of changes an answer would be megabytes. A record of a user's own service may lack any of them. */
function cutLists(plan: Plan, include: readonly PlanList[]) {
  const { changeset, strategy, conflicts, validations }: Partial<Plan> = plan;
  const cut: PlanList[] = [];
  const shown = <T>(name: PlanList, list: readonly T[]): readonly T[] => {
    if (list.length <= MOST_SHOWN || include.includes(name)) return list;
    cut.push(name);
    return list.slice(0, MOST_SHOWN);
  };
  const lists = {
    ...(changeset && {
      changeset: { ...changeset, changes: shown("changes", changeset.changes) },
    }),
    ...(strategy && { strategy: { ...strategy, steps: shown("steps", strategy.steps) } }),
    ...(conflicts && { conflicts: shown("conflicts", conflicts) }),
    ...(validations && { validations: shown("validations", validations) }),
  };
  return { ...lists, cut };
}
