import { z } from "zod";
import { PLAN_PHASES, PLAN_STATES } from "../plans/plan.ts";
import { nextCursor, pageParams, projectParam, sessionIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { planView, viewOfPlan } from "./plan-view.ts";

export const planList = defineOperation({
  name: "plan.list",
  summary: "Plans, newest first.",
  params: z.strictObject({
    ...pageParams,
    phase: z.enum(PLAN_PHASES).exactOptional(),
    states: z.array(z.enum(PLAN_STATES)).min(1).exactOptional(),
    session_id: sessionIdParam.exactOptional(),
    project: projectParam.exactOptional(),
  }),
  output: z.looseObject({ plans: z.array(planView), next_cursor: nextCursor }),
  scope: "plan:read",
  mutating: false,
  run: async ({ session_id: sessionId, ...query }, context) => {
    const { items, nextCursor: cursor } = await context.services.method(
      "plan_lifecycle_service",
      "listPlans",
    )({ ...query, ...(sessionId !== undefined && { sessionId }) }, context);
    return { plans: items.map((plan) => viewOfPlan(plan)), next_cursor: cursor };
  },
});
