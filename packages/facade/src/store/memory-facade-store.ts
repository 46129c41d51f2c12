import { type Clock, systemClock } from "@acumen/core";
import { ConflictError } from "../errors/domain-error.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import type { Plan, PlanState } from "../plans/plan.ts";
import type { FacadeSession } from "../sessions/facade-session.ts";
import type {
  Committed,
  EventBounds,
  EventPage,
  EventQuery,
  FacadeStore,
  IdempotencyRecord,
  Page,
  PlanQuery,
  SessionQuery,
  StoreChange,
  TokenRecord,
} from "./facade-store.ts";
import { detached } from "./logged-event.ts";
import { MemoryEventLog } from "./memory-event-log.ts";
import { RecordTable } from "./record-table.ts";

/** Everything in this process, gone with it. Each method does its work before anybody else runs, so a change is whole. */
export class MemoryFacadeStore implements FacadeStore {
  readonly kind = "memory";
  readonly #clock: Clock;
  readonly #sessions = new RecordTable<FacadeSession>("session", ({ session_id: id }) => id);
  readonly #plans = new RecordTable<Plan>("plan", ({ plan_id: id }) => id);
  readonly #logs = new Map<string, MemoryEventLog>();
  readonly #tokens = new Map<string, TokenRecord>();
  readonly #endings: (() => Promise<void>)[] = [];
  readonly #keyed = new Map<string, IdempotencyRecord>();

  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.#clock = clock;
  }

  async commit({ sessions = [], plans = [], events }: StoreChange): Promise<Committed> {
    this.#sessions.check(sessions);
    this.#plans.check(plans);
    this.#sessions.put(sessions.map(detached));
    this.#plans.put(plans.map(detached));
    if (events === undefined) return { events: [] };
    const timestamp = this.#clock.now().toISOString();
    return { events: this.#log(events.owner).append(events.drafts, timestamp) };
  }

  async session(owner: string, sessionId: string): Promise<FacadeSession | undefined> {
    return this.#sessions.get(owner, sessionId);
  }

  async sessions(query: SessionQuery): Promise<Page<FacadeSession>> {
    const { status } = query;
    return this.#sessions.page(
      query,
      (session) => status === undefined || session.status === status,
    );
  }

  async plan(owner: string, planId: string): Promise<Plan | undefined> {
    return this.#plans.get(owner, planId);
  }

  async plans(query: PlanQuery): Promise<Page<Plan>> {
    const { phase, states, sessionId, project } = query;
    return this.#plans.page(
      query,
      (plan) =>
        (phase === undefined || plan.phase === phase) &&
        (states === undefined || states.includes(plan.state)) &&
        (sessionId === undefined || plan.session_id === sessionId) &&
        (project === undefined || plan.project.path === project),
    );
  }

  async unfinishedPlans(states: readonly PlanState[]): Promise<readonly Plan[]> {
    const found = this.#plans.all().filter(({ state }) => states.includes(state));
    return found.toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : 1));
  }

  async events(query: EventQuery): Promise<EventPage> {
    return this.#log(query.owner).page(query);
  }

  async eventBounds(owner: string): Promise<EventBounds> {
    return this.#log(owner).bounds;
  }

  async trimEvents(limits: { readonly keep: number; readonly before: string }): Promise<number> {
    let count = 0;
    for (const log of this.#logs.values()) count += log.trim(limits);
    return count;
  }

  async addToken(token: TokenRecord): Promise<void> {
    const tokens = [...this.#tokens.values()];
    if (this.#tokens.has(token.token_id) || tokens.some(({ hash }) => hash === token.hash)) {
      throw new ConflictError(`The token ${token.token_id} exists already.`);
    }
    this.#tokens.set(token.token_id, detached(token));
  }

  async tokenByHash(hash: string): Promise<TokenRecord | undefined> {
    return [...this.#tokens.values()].find((token) => token.hash === hash);
  }

  async token(tokenId: string): Promise<TokenRecord | undefined> {
    return this.#tokens.get(tokenId);
  }

  async tokens(): Promise<readonly TokenRecord[]> {
    return [...this.#tokens.values()];
  }

  async revokeToken(tokenId: string, at: string): Promise<boolean> {
    const token = this.#tokens.get(tokenId);
    if (token === undefined) return false;
    // The first revocation is the one that counts.
    this.#tokens.set(tokenId, detached({ ...token, revoked_at: token.revoked_at ?? at }));
    return true;
  }

  async beginKeyed(record: IdempotencyRecord): Promise<IdempotencyRecord | undefined> {
    const id = keyOf(record.scope, record.key);
    const known = this.#keyed.get(id);
    if (known === undefined) this.#keyed.set(id, detached(record));
    return known;
  }

  async finishKeyed(scope: string, key: string, response: JsonObject): Promise<void> {
    const id = keyOf(scope, key);
    const known = this.#keyed.get(id);
    if (known !== undefined) this.#keyed.set(id, detached({ ...known, response }));
  }

  async dropKeyed(scope: string, key: string): Promise<void> {
    this.#keyed.delete(keyOf(scope, key));
  }

  async trimKeyed(before: string): Promise<void> {
    for (const [id, record] of this.#keyed) {
      if (record.created_at < before) this.#keyed.delete(id);
    }
  }

  /** What is left of the process goes with it. */
  onClose(work: () => Promise<void>): void {
    this.#endings.push(work);
  }

  async close(): Promise<void> {
    for (const work of this.#endings.splice(0)) await work();
  }

  #log(owner: string): MemoryEventLog {
    let log = this.#logs.get(owner);
    if (log === undefined) this.#logs.set(owner, (log = new MemoryEventLog()));
    return log;
  }
}

function keyOf(scope: string, key: string): string {
  return JSON.stringify([scope, key]);
}
