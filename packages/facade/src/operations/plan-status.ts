import { z } from "zod";
import { planIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { planView, viewOfPlan } from "./plan-view.ts";

export const planStatus = defineOperation({
  name: "plan.status",
  summary: "Where a plan stands, and what it waits for.",
  params: z.strictObject({ plan_id: planIdParam }),
  output: planView,
  scope: "plan:read",
  mutating: false,
  run: async ({ plan_id: id }, context) =>
    viewOfPlan(await context.services.get("plan_lifecycle_service").getPlan(id, context)),
});
