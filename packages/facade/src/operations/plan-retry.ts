import { z } from "zod";
import { planIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { headAfterChange, planHeadView } from "./plan-view.ts";

export const planRetry = defineOperation({
  name: "plan.retry",
  summary: "Runs the phase again in which a plan failed.",
  params: z.strictObject({ plan_id: planIdParam }),
  output: planHeadView,
  scope: "plan:write",
  mutating: true,
  run: async ({ plan_id: id }, context) => {
    const retryPlan = context.services.method("plan_lifecycle_service", "retryPlan");
    return headAfterChange(await retryPlan(id, context));
  },
});
