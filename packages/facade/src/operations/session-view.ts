import { z } from "zod";
import { PROFILE_NAMES } from "../plans/profile.ts";
import type { FacadeSession } from "../sessions/facade-session.ts";

/** A session as it goes over the wire. */
export const sessionView = z.looseObject({
  session_id: z.string(),
  status: z.enum(["open", "closed"]),
  actor_name: z.string().nullable(),
  title: z.string(),
  profile: z.enum(PROFILE_NAMES).nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().nullable(),
  version: z.number().int(),
});

export function viewOfSession({
  owner: _owner,
  ...session
}: FacadeSession): z.input<typeof sessionView> {
  return session;
}
