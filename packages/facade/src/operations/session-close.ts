import { z } from "zod";
import { shownAfterChange } from "../errors/after-change.ts";
import type { ClosedSession } from "../services/session-service.ts";
import { sessionIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { sessionView, viewOfSession } from "./session-view.ts";

export const sessionClose = defineOperation({
  name: "session.close",
  summary: "Closes a session; its history and its plans stay readable.",
  params: z.strictObject({
    session_id: sessionIdParam,
    /** All that have not ended, also those that wait for a call. Otherwise a session stays open as long as a plan runs. */
    cancel_plans: z.boolean().default(false),
  }),
  output: sessionView.extend({ already: z.boolean() }),
  scope: "session:*",
  mutating: true,
  run: async ({ session_id: id, cancel_plans: cancelPlans }, context) => {
    const closed: Partial<ClosedSession> | undefined = await context.services
      .get("session_service")
      .delete(id, { keepHistory: true, cancelPlans }, context);
    return shownAfterChange(() => {
      const { session = { session_id: id }, already = false } = closed ?? {};
      return { ...viewOfSession(session, "closed"), already };
    });
  },
});
