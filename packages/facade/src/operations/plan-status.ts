import { z } from "zod";
import { planIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { PLAN_LISTS, planView, viewOfPlan } from "./plan-view.ts";

export const planStatus = defineOperation({
  name: "plan.status",
  summary: "Where a plan stands, and what it waits for.",
  params: z.strictObject({
    plan_id: planIdParam,
    /** Lists that are to come whole; otherwise 100 entries of each. */
    include: z.array(z.enum(PLAN_LISTS)).min(1).max(10).exactOptional(),
  }),
  output: planView,
  scope: "plan:read",
  mutating: false,
  run: async ({ plan_id: id, include }, context) => {
    const plan = await context.services.get("plan_lifecycle_service").getPlan(id, context);
    return viewOfPlan(plan, include);
  },
});
