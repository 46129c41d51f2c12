import type { ProfileName } from "../plans/profile.ts";

export const SESSION_STATUSES = ["open", "closed"] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** What groups plans of one orchestrator; its history is kept when it is closed. Field names are those of the wire. */
export interface FacadeSession {
  readonly session_id: string;
  readonly owner: string;
  readonly status: SessionStatus;
  readonly actor_name: string | null;
  readonly title: string;
  /** For plans that name none. */
  readonly profile: ProfileName | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly closed_at: string | null;
  /** Counts from 1, plus one with each change. */
  readonly version: number;
}
