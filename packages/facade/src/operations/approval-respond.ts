import { z } from "zod";
import { planIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { headAfterChange, planHeadView } from "./plan-view.ts";

export const approvalRespond = defineOperation({
  name: "approval.respond",
  summary: "Answers a tool call that waits.",
  params: z.strictObject({
    plan_id: planIdParam,
    call_id: z.string().min(1).max(128),
    decision: z.enum(["allow_once", "allow_always", "reject_once"]),
  }),
  output: planHeadView,
  scope: "plan:write",
  mutating: true,
  run: async ({ plan_id: id, call_id: callId, decision }, context) => {
    const respond = context.services.method("plan_lifecycle_service", "respondApproval");
    return headAfterChange({ plan: await respond(id, callId, decision, context) });
  },
});
