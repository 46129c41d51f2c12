import { z } from "zod";
import { planIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { headAfterChange, planHeadView } from "./plan-view.ts";

export const planCancel = defineOperation({
  name: "plan.cancel",
  summary: "Ends a plan for good; its sandbox is removed, the project stays as it is.",
  params: z.strictObject({ plan_id: planIdParam }),
  output: planHeadView,
  scope: "plan:write",
  mutating: true,
  run: async ({ plan_id: id }, context) => {
    const cancelPlan = context.services.method("plan_lifecycle_service", "cancelPlan");
    return headAfterChange(await cancelPlan(id, context));
  },
});
