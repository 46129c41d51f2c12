import type { Caller } from "../access/caller.ts";
import type { AcpEvent } from "../envelope/acp-event.ts";
import { AcpNotAvailableError } from "../errors/acp-error.ts";
import { ResourceNotFoundError } from "../errors/domain-error.ts";
import type { Plan } from "../plans/plan.ts";
import type { EventQueueService } from "../services/event-queue-service.ts";
import type { ToolRegistryService } from "../services/registries.ts";
import type { PlanLifecycleService } from "../services/plan-lifecycle-service.ts";
import type { ServiceMap } from "../services/service-map.ts";
import type { FacadeSession } from "../sessions/facade-session.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import { recentEvents } from "./recent-events.ts";
import { wellFormed } from "./well-formed.ts";

/** A user's own services of this moment. */
export type ReplacedServices = Pick<
  Partial<ServiceMap>,
  "session_service" | "plan_lifecycle_service" | "tool_registry" | "event_queue"
>;

export interface ContextRecordsOptions {
  readonly store: FacadeStore;
  /** Asked for the diff of a plan's attempt. */
  readonly plans?: Pick<PlanLifecycleService, "diffPlan">;
  readonly tools?: ToolRegistryService;
  /** The queue over the store: no user's own. */
  readonly queue?: EventQueueService;
  readonly replaced?: () => ReplacedServices;
}

/** A user's own service may know no more of a plan than its id, phase and state. */
export type KnownPlan = Partial<Plan> & Pick<Plan, "plan_id" | "phase" | "state">;
export type KnownSession = Partial<FacadeSession> & Pick<FacadeSession, "session_id">;

const MOST_PLANS = 20;

/** What is known of plans, sessions, tools and events: each by the service that is there for it now. */
export class ContextRecords {
  readonly #options: ContextRecordsOptions;

  constructor(options: ContextRecordsOptions) {
    this.#options = options;
  }

  get tools(): ToolRegistryService | undefined {
    return this.#replaced.tool_registry ?? this.#options.tools;
  }

  get plans(): Pick<PlanLifecycleService, "diffPlan"> | undefined {
    return this.#replaced.plan_lifecycle_service ?? this.#options.plans;
  }

  get #replaced(): ReplacedServices {
    return this.#options.replaced?.() ?? {};
  }

  /** @throws ResourceNotFoundError, also for what belongs to somebody else */
  async plan(id: string, caller: Caller): Promise<KnownPlan> {
    const own = this.#replaced.plan_lifecycle_service;
    if (own !== undefined) return own.getPlan(id, caller);
    const found = await this.#options.store.plan(caller.principal.owner, id);
    if (found === undefined) throw missing("plan", id);
    return found;
  }

  /** @throws ResourceNotFoundError, also for what belongs to somebody else; AcpNotAvailableError for sessions that cannot be read */
  async session(id: string, caller: Caller): Promise<KnownSession> {
    const own = this.#replaced.session_service;
    if (own?.get !== undefined) return own.get(id, caller);
    if (own !== undefined) {
      throw new AcpNotAvailableError(
        "The service session_service has no method get, which a context of a session needs.",
        { details: { service: "session_service", method: "get" } },
      );
    }
    const found = await this.#options.store.session(caller.principal.owner, id);
    if (found === undefined) throw missing("session", id);
    return found;
  }

  /** The newest first; none when nobody lists them. */
  async plansOf(sessionId: string, caller: Caller): Promise<readonly KnownPlan[]> {
    const query = { sessionId, limit: MOST_PLANS };
    const own = this.#replaced.plan_lifecycle_service;
    if (own !== undefined) return (await own.listPlans?.(query, caller))?.items ?? [];
    const { owner } = caller.principal;
    return (await this.#options.store.plans({ owner, ...query })).items;
  }

  /** The oldest first. */
  async events(
    about: { readonly planId?: string; readonly sessionId?: string },
    caller: Caller,
  ): Promise<readonly AcpEvent[]> {
    const { store, queue } = this.#options;
    const own = this.#replaced.event_queue;
    if (own === undefined || own === queue) {
      return recentEvents(store, { owner: caller.principal.owner, ...about });
    }
    // Its newest ones cannot be asked for by themselves, so it is one page.
    return (await own.list?.({ ...about, limit: 1_000 }, caller))?.events ?? [];
  }
}

function missing(kind: "plan" | "session", id: string): Error {
  return new ResourceNotFoundError(`There is no ${kind} ${JSON.stringify(wellFormed(id))}.`, {
    details: { [`${kind}_id`]: id },
  });
}
