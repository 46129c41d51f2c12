import type { Scope } from "../access/scope.ts";
import type { AcpEvent, AcpEventDraft } from "../envelope/acp-event.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import type { Plan, PlanPhase, PlanState } from "../plans/plan.ts";
import type { FacadeSession, SessionStatus } from "../sessions/facade-session.ts";

export interface PageQuery {
  readonly owner: string;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** 1 to 200. */
  readonly limit: number;
}

export interface Page<T> {
  /** Newest first. */
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface SessionQuery extends PageQuery {
  readonly status?: SessionStatus;
}

export interface PlanQuery extends PageQuery {
  readonly phase?: PlanPhase;
  readonly states?: readonly PlanState[];
  readonly sessionId?: string;
  /** Path of a project. */
  readonly project?: string;
}

export interface EventQuery {
  readonly owner: string;
  /** Events of a greater seq; default: from the oldest that is kept. */
  readonly after?: number;
  readonly limit: number;
  readonly planId?: string;
  readonly sessionId?: string;
  /** Exact types, or a prefix and `*` such as `plan.*`; absent: all. */
  readonly types?: readonly string[];
}

export interface EventPage {
  /** Oldest first. `prev_seq` is set when the query filters. */
  readonly events: readonly AcpEvent[];
  /** Everything up to here was looked at: where the next query goes on. */
  readonly cursor: number;
  readonly more: boolean;
  /** Seq of the last event up to `after` that the query lets through; null when none is kept or the query lets everything through. */
  readonly previous: number | null;
}

/** Of an owner's log; 0 and 0 when it never had an event. */
export interface EventBounds {
  /** Seq of the oldest event that is kept; of the next one when none is. */
  readonly oldest: number;
  /** Seq of the newest event ever. */
  readonly newest: number;
}

export interface TokenRecord {
  readonly token_id: string;
  /** SHA-256 (hex) of the token; the token itself is never stored. */
  readonly hash: string;
  readonly owner: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** A keyed request: stored before it acts, answered from here when it comes again. */
export interface IdempotencyRecord {
  /** Owner, token and operation. */
  readonly scope: string;
  readonly key: string;
  /** SHA-256 (hex) of the canonical params. */
  readonly fingerprint: string;
  /** Id of what the request makes, chosen before it acts: a second run after a crash finds it instead of making another. */
  readonly reserved_id: string;
  /** Null while the first one runs. */
  readonly response: JsonObject | null;
  readonly created_at: string;
}

/** What changes together: all of it or nothing. */
export interface StoreChange {
  /** Each replaces the one of version - 1; version 1 must not exist yet. */
  readonly sessions?: readonly FacadeSession[];
  readonly plans?: readonly Plan[];
  /** Get the next seqs of the owner's log, in this order. */
  readonly events?: { readonly owner: string; readonly drafts: readonly AcpEventDraft[] };
}

export interface Committed {
  readonly events: readonly AcpEvent[];
}

/** State, event log, tokens and keyed requests. One contract suite runs on every implementation. */
export interface FacadeStore {
  /** `memory` is gone with the process. */
  readonly kind: "memory" | "sqlite";
  /** Durable when it resolves; resolves in the order of the seqs. @throws ConflictError when a version is not the next one; nothing of the change is kept then */
  commit(change: StoreChange): Promise<Committed>;

  /** Undefined also for another owner's. */
  session(owner: string, sessionId: string): Promise<FacadeSession | undefined>;
  sessions(query: SessionQuery): Promise<Page<FacadeSession>>;
  plan(owner: string, planId: string): Promise<Plan | undefined>;
  plans(query: PlanQuery): Promise<Page<Plan>>;
  /** Of every owner, in these states, oldest change first: what a restart takes up. */
  unfinishedPlans(states: readonly PlanState[]): Promise<readonly Plan[]>;

  /** @throws AcpError FACADE_CURSOR_EXPIRED with `details.oldest` when events after `after` are no longer all kept, or it is of another log */
  events(query: EventQuery): Promise<EventPage>;
  eventBounds(owner: string): Promise<EventBounds>;
  /** Forgets events beyond the newest `keep` of each owner and those before `before` (ISO). @returns how many */
  trimEvents(limits: { readonly keep: number; readonly before: string }): Promise<number>;

  /** @throws ConflictError when the hash or id is taken */
  addToken(token: TokenRecord): Promise<void>;
  tokenByHash(hash: string): Promise<TokenRecord | undefined>;
  token(tokenId: string): Promise<TokenRecord | undefined>;
  tokens(): Promise<readonly TokenRecord[]>;
  /** @returns false when there is no such token */
  revokeToken(tokenId: string, at: string): Promise<boolean>;

  /** Takes the key, or gives back the record that has it. */
  beginKeyed(record: IdempotencyRecord): Promise<IdempotencyRecord | undefined>;
  finishKeyed(scope: string, key: string, response: JsonObject): Promise<void>;
  /** A request that failed before it acted frees its key. */
  dropKeyed(scope: string, key: string): Promise<void>;
  /** Forgets those before `before` (ISO). */
  trimKeyed(before: string): Promise<void>;

  close(): Promise<void>;
  /** Of a store in memory: what to do when it closes, such as the removal of files that mean something to it alone. */
  onClose?(work: () => Promise<void>): void;
}
