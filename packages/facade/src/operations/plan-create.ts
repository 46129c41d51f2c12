import { z } from "zod";
import { shownAfterChange } from "../errors/after-change.ts";
import { jsonObjectSchema } from "../envelope/json-value.ts";
import { PROFILE_NAMES } from "../plans/profile.ts";
import { projectParam, sessionIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { planView, viewOfPlan } from "./plan-view.ts";

const modelId = z.string().min(1).max(256);

export const planCreate = defineOperation({
  name: "plan.create",
  summary: "Makes a plan from an action; its strategy begins at once.",
  params: z.strictObject({
    action_name: z.string().min(1).max(190),
    arguments: jsonObjectSchema.exactOptional(),
    project: projectParam.exactOptional(),
    profile: z.enum(PROFILE_NAMES).exactOptional(),
    strategy_model: modelId.exactOptional(),
    execution_model: modelId.exactOptional(),
    session_id: sessionIdParam.exactOptional(),
  }),
  output: planView,
  scope: "plan:write",
  mutating: true,
  run: async (params, context) => {
    const plan = await context.services.get("plan_lifecycle_service").useAction(params, context);
    return shownAfterChange(() => viewOfPlan(plan));
  },
});
