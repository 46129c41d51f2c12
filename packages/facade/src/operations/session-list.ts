import { z } from "zod";
import { SESSION_STATUSES } from "../sessions/facade-session.ts";
import { nextCursor, pageParams } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { sessionView, viewOfSession } from "./session-view.ts";

export const sessionList = defineOperation({
  name: "session.list",
  summary: "Sessions, newest first.",
  params: z.strictObject({ ...pageParams, status: z.enum(SESSION_STATUSES).exactOptional() }),
  output: z.looseObject({ sessions: z.array(sessionView), next_cursor: nextCursor }),
  scope: "session:*",
  mutating: false,
  run: async (params, context) => {
    const { items, nextCursor: cursor } = await context.services.method("session_service", "list")(
      params,
      context,
    );
    return { sessions: items.map((session) => viewOfSession(session)), next_cursor: cursor };
  },
});
