import { z } from "zod";
import { planIdParam, waitMs, waitParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { headAfterChange, planHeadView } from "./plan-view.ts";

export const planExecute = defineOperation({
  name: "plan.execute",
  summary: "Lets a plan go on: the coding agent works in its sandbox.",
  params: z.strictObject({
    plan_id: planIdParam,
    /** Of an errored phase. */
    retry: z.boolean().default(false),
    expected_version: z.number().int().positive().exactOptional(),
    wait: waitParam.default(false),
  }),
  output: planHeadView,
  scope: "plan:write",
  mutating: true,
  run: async ({ plan_id: id, retry, expected_version: expectedVersion, wait }, context) => {
    const answer = await context.services.get("plan_lifecycle_service").executePlan(
      id,
      {
        retry,
        waitMs: waitMs(wait),
        ...(expectedVersion !== undefined && { expectedVersion }),
      },
      context,
    );
    return headAfterChange(answer);
  },
});
