import { createId, type Clock } from "@acumen/core";
import type { Caller } from "../access/caller.ts";
import {
  BusinessRuleViolation,
  ConflictError,
  ResourceNotFoundError,
} from "../errors/domain-error.ts";
import type {
  ClosedSession,
  CreateSessionInput,
  SessionService,
} from "../services/session-service.ts";
import type {
  Committed,
  FacadeStore,
  Page,
  SessionQuery,
  StoreChange,
} from "../store/facade-store.ts";
import type { FacadeSession } from "./facade-session.ts";

/** How often a change is decided anew when somebody else was faster. */
const TRIES = 50;

export interface ActivePlan {
  readonly plan_id: string;
  /** It is at work or goes on by itself; one that waits for a call of its user does not. */
  readonly isRunning: boolean;
}

export interface SessionRegistryOptions {
  readonly store: FacadeStore;
  readonly commit: (change: StoreChange) => Promise<Committed>;
  /** Plans of a session that have not ended; they are cancelled when the caller says so. */
  readonly activePlans: (sessionId: string, caller: Caller) => Promise<readonly ActivePlan[]>;
  readonly cancelPlan: (planId: string, caller: Caller) => Promise<unknown>;
  /** @throws ResourceNotFoundError when no actor has the name */
  readonly checkActor: (name: string) => void;
  readonly clock: Clock;
}

/** Sessions over a store. */
export class SessionRegistry implements SessionService {
  readonly #options: SessionRegistryOptions;

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
  }

  async create(
    input: CreateSessionInput,
    { principal, requestId, reservedId }: Caller,
  ): Promise<FacadeSession> {
    const { store, commit, clock, checkActor } = this.#options;
    const {
      actor_name: actor,
      title = "",
      profile,
      session_id: id = reservedId ?? createId(),
    } = input;
    if (actor !== undefined) checkActor(actor);
    const { owner } = principal;
    const now = clock.now().toISOString();
    const session: FacadeSession = {
      session_id: id,
      owner,
      status: "open",
      actor_name: actor ?? null,
      title,
      profile: profile ?? null,
      created_at: now,
      updated_at: now,
      closed_at: null,
      version: 1,
    };
    const isChosen = input.session_id !== undefined || reservedId !== undefined;
    const known = isChosen ? await store.session(owner, id) : undefined;
    if (known !== undefined) return sameOrConflict(known, session);
    await commit({
      sessions: [session],
      events: {
        owner,
        drafts: [
          {
            event_type: "session.created",
            session_id: id,
            data: { title, actor_name: session.actor_name, request_id: requestId },
          },
        ],
      },
    });
    return session;
  }

  async get(sessionId: string, { principal }: Caller): Promise<FacadeSession> {
    const session = await this.#options.store.session(principal.owner, sessionId);
    if (session !== undefined) return session;
    throw new ResourceNotFoundError(`There is no session ${sessionId}.`, {
      details: { session_id: sessionId },
    });
  }

  list(query: Omit<SessionQuery, "owner">, { principal }: Caller): Promise<Page<FacadeSession>> {
    return this.#options.store.sessions({ ...query, owner: principal.owner });
  }

  /**
   * History is always kept: a session is closed, and stays readable with its plans. Those that wait for a call can still be called, unless
   * they are to be cancelled too.
   * @throws BusinessRuleViolation as long as a plan runs that is not to be cancelled, or cannot be any more
   */
  async delete(
    sessionId: string,
    { cancelPlans }: { readonly keepHistory: boolean; readonly cancelPlans: boolean },
    caller: Caller,
  ): Promise<ClosedSession> {
    const { activePlans, cancelPlan, commit, clock } = this.#options;
    for (let tries = 1; ; tries += 1) {
      const session = await this.get(sessionId, caller);
      if (session.status === "closed") return { session, already: true };
      const active = await activePlans(sessionId, caller);
      const running = active.filter(({ isRunning }) => isRunning);
      if (running.length > 0 && !cancelPlans) throw stillRunning(sessionId, running);
      const now = clock.now().toISOString();
      const closed: FacadeSession = {
        ...session,
        status: "closed",
        updated_at: now,
        closed_at: now,
        version: session.version + 1,
      };
      try {
        if (cancelPlans) for (const { plan_id: id } of active) await cancelPlan(id, caller);
        await commit({
          sessions: [closed],
          events: {
            owner: session.owner,
            drafts: [{ event_type: "session.closed", session_id: sessionId, data: {} }],
          },
        });
        return { session: closed, already: false };
      } catch (error) {
        // Somebody changed the session, or a plan ended before it could be cancelled.
        const isLate = error instanceof ConflictError || error instanceof BusinessRuleViolation;
        if (!isLate || tries === TRIES) throw error;
      }
    }
  }
}

function sameOrConflict(known: FacadeSession, asked: FacadeSession): FacadeSession {
  const isSame =
    known.actor_name === asked.actor_name &&
    known.title === asked.title &&
    known.profile === asked.profile;
  if (isSame) return known;
  throw new ConflictError(`The session ${known.session_id} exists with other values.`, {
    details: { session_id: known.session_id },
  });
}

function stillRunning(sessionId: string, plans: readonly ActivePlan[]): BusinessRuleViolation {
  const what = plans.length === 1 ? "a plan that runs" : `${plans.length} plans that run`;
  return new BusinessRuleViolation(
    `The session ${sessionId} has ${what}; wait for it, or close the session with cancel_plans.`,
    {
      details: {
        session_id: sessionId,
        status: "open",
        plan_ids: plans.map(({ plan_id: id }) => id),
      },
    },
  );
}
