import { z } from "zod";
import { PROFILE_NAMES } from "../plans/profile.ts";
import {
  type FacadeSession,
  SESSION_STATUSES,
  type SessionStatus,
} from "../sessions/facade-session.ts";

/** A session as it goes over the wire. A user's own service may know no more than its id. */
export const sessionView = z.looseObject({
  session_id: z.string(),
  status: z.enum(SESSION_STATUSES),
  actor_name: z.string().nullable().exactOptional(),
  title: z.string().exactOptional(),
  profile: z.enum(PROFILE_NAMES).nullable().exactOptional(),
  created_at: z.string().exactOptional(),
  updated_at: z.string().exactOptional(),
  closed_at: z.string().nullable().exactOptional(),
  version: z.number().int().exactOptional(),
});

type KnownSession = Pick<FacadeSession, "session_id"> & Partial<FacadeSession>;

export function viewOfSession(
  { owner: _owner, ...session }: KnownSession,
  status: SessionStatus = session.status ?? "open",
): z.input<typeof sessionView> {
  // The rest is a copy already, and another one costs time on each read.
  const view: z.input<typeof sessionView> = Object.assign(session, { status });
  return view;
}
