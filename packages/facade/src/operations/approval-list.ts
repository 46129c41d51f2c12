import { z } from "zod";
import { planIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";

export const approvalList = defineOperation({
  name: "approval.list",
  summary: "Tool calls of plans that wait for an answer.",
  params: z.strictObject({ plan_id: planIdParam.exactOptional() }),
  output: z.looseObject({
    approvals: z.array(z.looseObject({ plan_id: z.string(), call_id: z.string() })),
  }),
  scope: "plan:read",
  mutating: false,
  run: async ({ plan_id: id }, context) => {
    const list = context.services.method("plan_lifecycle_service", "listApprovals");
    return { approvals: (await list(id, context)).map((approval) => ({ ...approval })) };
  },
});
