import { z } from "zod";
import { shownAfterChange } from "../errors/after-change.ts";
import { PROFILE_NAMES } from "../plans/profile.ts";
import { defineOperation } from "./operation.ts";
import { sessionView, viewOfSession } from "./session-view.ts";

export const sessionCreate = defineOperation({
  name: "session.create",
  summary: "Begins a session that groups plans.",
  params: z.strictObject({
    actor_name: z.string().min(1).max(190).exactOptional(),
    title: z.string().max(200).exactOptional(),
    profile: z.enum(PROFILE_NAMES).exactOptional(),
    session_id: z
      .string()
      .regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, "expected a ULID: 26 characters of Crockford's Base32")
      .exactOptional(),
  }),
  output: sessionView,
  scope: "session:*",
  mutating: true,
  run: async (params, context) => {
    const session = await context.services.get("session_service").create(params, context);
    return shownAfterChange(() => viewOfSession(session));
  },
});
