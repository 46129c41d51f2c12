import type { Caller } from "../access/caller.ts";
import type { ProfileName } from "../plans/profile.ts";
import type { FacadeSession } from "../sessions/facade-session.ts";
import type { Page, SessionQuery } from "../store/facade-store.ts";

export interface CreateSessionInput {
  readonly actor_name?: string;
  readonly title?: string;
  readonly profile?: ProfileName;
  /** Chosen by the client: the same id with the same values gives the session that exists. */
  readonly session_id?: string;
}

export interface ClosedSession {
  readonly session: FacadeSession;
  /** It was closed before. */
  readonly already: boolean;
}

/** Key `session_service`. A user's own needs `create` and `delete`; an operation whose method is missing answers NOT_AVAILABLE. */
export interface SessionService {
  create(input: CreateSessionInput, caller: Caller): Promise<FacadeSession>;
  /** With `keepHistory` it is closed and stays readable. */
  delete(
    sessionId: string,
    options: { readonly keepHistory: boolean; readonly cancelPlans: boolean },
    caller: Caller,
  ): Promise<ClosedSession>;
  get?(sessionId: string, caller: Caller): Promise<FacadeSession>;
  list?(query: Omit<SessionQuery, "owner">, caller: Caller): Promise<Page<FacadeSession>>;
}
