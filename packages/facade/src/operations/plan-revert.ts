import { z } from "zod";
import { shownAfterChange } from "../errors/after-change.ts";
import { planIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { headOfPlan, planHeadView } from "./plan-view.ts";

export const planRevert = defineOperation({
  name: "plan.revert",
  summary: "Takes a plan back to its strategy, at most three times.",
  params: z.strictObject({
    plan_id: planIdParam,
    /** What the next strategy should know, as data. */
    reason: z.string().min(1).max(10_000).exactOptional(),
  }),
  output: planHeadView.extend({ reversion_count: z.number().int() }),
  scope: "plan:write",
  mutating: true,
  run: async ({ plan_id: id, reason }, context) => {
    const revertPlan = context.services.method("plan_lifecycle_service", "revertPlan");
    const answer = await revertPlan(id, { ...(reason !== undefined && { reason }) }, context);
    return shownAfterChange(() => {
      const { plan, already } = answer;
      return { ...headOfPlan(plan, already), reversion_count: plan.reversion_count };
    });
  },
});
