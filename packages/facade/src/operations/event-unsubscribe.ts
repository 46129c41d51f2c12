import { z } from "zod";
import { ResourceNotFoundError } from "../errors/domain-error.ts";
import { defineOperation } from "./operation.ts";

export const eventUnsubscribe = defineOperation({
  name: "event.unsubscribe",
  summary: "Ends a subscription and its stream.",
  params: z.strictObject({ subscription_id: z.string().min(1).max(64) }),
  output: z.looseObject({ subscription_id: z.string(), status: z.literal("closed") }),
  scope: "events:read",
  mutating: false,
  run: async ({ subscription_id: id }, context) => {
    const release = context.services.method("event_queue", "release");
    if (!(await release(id, context))) {
      throw new ResourceNotFoundError(`There is no subscription ${id}; it may have ended.`, {
        details: { subscription_id: id },
      });
    }
    return { subscription_id: id, status: "closed" as const };
  },
});
