import { z } from "zod";
import { sessionIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { sessionView, viewOfSession } from "./session-view.ts";

export const sessionGet = defineOperation({
  name: "session.get",
  summary: "One session.",
  params: z.strictObject({ session_id: sessionIdParam }),
  output: sessionView,
  scope: "session:*",
  mutating: false,
  run: async ({ session_id: id }, context) =>
    viewOfSession(await context.services.method("session_service", "get")(id, context)),
});
