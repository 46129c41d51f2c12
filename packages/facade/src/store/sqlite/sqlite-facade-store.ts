import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock, Logger } from "@acumen/core";
import { AcpNotAvailableError } from "../../errors/acp-error.ts";
import { ConflictError } from "../../errors/domain-error.ts";
import type { JsonObject } from "../../envelope/json-value.ts";
import type { Plan, PlanState } from "../../plans/plan.ts";
import type { FacadeSession } from "../../sessions/facade-session.ts";
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
} from "../facade-store.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";
import { SqliteEventLog } from "./sqlite-event-log.ts";
import { sqliteCode, sqliteFailure } from "./sqlite-failure.ts";
import { SqliteRecords } from "./sqlite-records.ts";
import { equals, oneOf, SqliteStatements } from "./sqlite-statements.ts";

interface TokenRow extends Omit<TokenRecord, "scopes"> {
  readonly scopes: string;
}

interface KeyedRow extends Omit<IdempotencyRecord, "response"> {
  readonly response: string | null;
}

const TOKEN_COLUMNS = "token_id, hash, owner, scopes, created_at, expires_at, revoked_at";
const KEYED_COLUMNS = "scope, key, fingerprint, reserved_id, response, created_at";
/** Events that are forgotten in one go; others have their turn in between. */
const TRIM_AT_ONCE = 2_000;

/** One file. The driver works synchronously, so each method is done before anybody else runs. */
export class SqliteFacadeStore implements FacadeStore {
  readonly kind = "sqlite";
  readonly #statements: SqliteStatements;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #closed: () => void;
  readonly #sessions: SqliteRecords<FacadeSession>;
  readonly #plans: SqliteRecords<Plan>;
  readonly #log: SqliteEventLog;

  /** @param options.closed called when the database is closed */
  constructor(
    db: SqliteDatabase,
    options: { readonly clock: Clock; readonly logger: Logger; readonly closed: () => void },
  ) {
    this.#statements = new SqliteStatements(db);
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#closed = options.closed;
    this.#sessions = new SqliteRecords(this.#statements, {
      kind: "session",
      idOf: ({ session_id: id }) => id,
      columns: ({ status }) => ({ status }),
    });
    this.#plans = new SqliteRecords(this.#statements, {
      kind: "plan",
      idOf: ({ plan_id: id }) => id,
      columns: ({ phase, state, session_id, project, updated_at }) => ({
        phase,
        state,
        session_id,
        project: project.path,
        updated_at,
      }),
    });
    this.#log = new SqliteEventLog(this.#statements);
  }

  async commit({ sessions = [], plans = [], events }: StoreChange): Promise<Committed> {
    return this.#write(() => {
      for (const session of sessions) this.#sessions.put(session);
      for (const plan of plans) this.#plans.put(plan);
      if (events === undefined) return { events: [] };
      const timestamp = this.#clock.now().toISOString();
      return { events: this.#log.append(events.owner, events.drafts, timestamp) };
    });
  }

  async session(owner: string, sessionId: string): Promise<FacadeSession | undefined> {
    return this.#read(() => this.#sessions.get(owner, sessionId));
  }

  async sessions(query: SessionQuery): Promise<Page<FacadeSession>> {
    return this.#read(() => this.#sessions.page(query, equals("status", query.status)));
  }

  async plan(owner: string, planId: string): Promise<Plan | undefined> {
    return this.#read(() => this.#plans.get(owner, planId));
  }

  async plans(query: PlanQuery): Promise<Page<Plan>> {
    const { phase, states, sessionId, project } = query;
    return this.#read(() =>
      this.#plans.page(query, [
        ...equals("phase", phase),
        ...oneOf("state", states),
        ...equals("session_id", sessionId),
        ...equals("project", project),
      ]),
    );
  }

  async unfinishedPlans(states: readonly PlanState[]): Promise<readonly Plan[]> {
    return this.#read(() => {
      const rows = this.#statements.all<{ readonly body: string }>(
        "SELECT body FROM plans WHERE state IN (SELECT value FROM json_each(?)) ORDER BY updated_at, place",
        JSON.stringify(states),
      );
      return rows.map(({ body }) => JSON.parse(body) as Plan);
    });
  }

  async events(query: EventQuery): Promise<EventPage> {
    return this.#read(() => this.#log.page(query));
  }

  async eventBounds(owner: string): Promise<EventBounds> {
    return this.#read(() => this.#log.bounds(owner));
  }

  async trimEvents(limits: { readonly keep: number; readonly before: string }): Promise<number> {
    let count = 0;
    for (;;) {
      const trimmed = this.#write(() => this.#log.trim(limits, TRIM_AT_ONCE));
      count += trimmed;
      if (trimmed < TRIM_AT_ONCE) return count;
      await nextTurn();
    }
  }

  async addToken(token: TokenRecord): Promise<void> {
    const { token_id, hash, owner, scopes, created_at, expires_at, revoked_at } = token;
    const count = this.#write(() =>
      this.#statements.run(
        `INSERT INTO tokens (${TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        token_id,
        hash,
        owner,
        JSON.stringify(scopes),
        created_at,
        expires_at,
        revoked_at,
      ),
    );
    if (count === 0) throw new ConflictError(`The token ${token_id} exists already.`);
  }

  async tokenByHash(hash: string): Promise<TokenRecord | undefined> {
    return this.#token("hash", hash);
  }

  async token(tokenId: string): Promise<TokenRecord | undefined> {
    return this.#token("token_id", tokenId);
  }

  async tokens(): Promise<readonly TokenRecord[]> {
    return this.#read(() =>
      this.#statements
        .all<TokenRow>(`SELECT ${TOKEN_COLUMNS} FROM tokens ORDER BY place`)
        .map(tokenOf),
    );
  }

  async revokeToken(tokenId: string, at: string): Promise<boolean> {
    const sql = "UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE token_id = ?";
    return this.#write(() => this.#statements.run(sql, at, tokenId) > 0);
  }

  async beginKeyed(record: IdempotencyRecord): Promise<IdempotencyRecord | undefined> {
    const { scope, key, fingerprint, reserved_id, response, created_at } = record;
    const text = response === null ? null : JSON.stringify(response);
    return this.#write(() => {
      const taken = this.#statements.run(
        `INSERT INTO keyed_requests (${KEYED_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        scope,
        key,
        fingerprint,
        reserved_id,
        text,
        created_at,
      );
      if (taken === 1) return undefined;
      const row = this.#statements.get<KeyedRow>(
        `SELECT ${KEYED_COLUMNS} FROM keyed_requests WHERE scope = ? AND key = ?`,
        scope,
        key,
      );
      return row && { ...row, response: row.response === null ? null : objectOf(row.response) };
    });
  }

  async finishKeyed(scope: string, key: string, response: JsonObject): Promise<void> {
    const sql = "UPDATE keyed_requests SET response = ? WHERE scope = ? AND key = ?";
    this.#write(() => this.#statements.run(sql, JSON.stringify(response), scope, key));
  }

  async dropKeyed(scope: string, key: string): Promise<void> {
    const sql = "DELETE FROM keyed_requests WHERE scope = ? AND key = ?";
    this.#write(() => this.#statements.run(sql, scope, key));
  }

  async trimKeyed(before: string): Promise<void> {
    this.#write(() =>
      this.#statements.run("DELETE FROM keyed_requests WHERE created_at < ?", before),
    );
  }

  async close(): Promise<void> {
    const { db } = this.#statements;
    if (!db.open) return;
    db.close();
    this.#closed();
  }

  #token(column: "hash" | "token_id", value: string): TokenRecord | undefined {
    return this.#read(() => {
      const sql = `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE ${column} = ?`;
      const row = this.#statements.get<TokenRow>(sql, value);
      return row && tokenOf(row);
    });
  }

  #write<T>(work: () => T): T {
    return this.#read(() => this.#statements.db.transaction(work).immediate());
  }

  #read<T>(work: () => T): T {
    if (!this.#statements.db.open) {
      throw new AcpNotAvailableError("The database is closed: the server is stopping.");
    }
    try {
      return work();
    } catch (error) {
      const errno = sqliteCode(error);
      if (errno !== undefined) this.#logger.error("the database failed", { errno });
      throw sqliteFailure(error);
    }
  }
}

function tokenOf({ scopes, ...row }: TokenRow): TokenRecord {
  return { ...row, scopes: JSON.parse(scopes) as TokenRecord["scopes"] };
}

function objectOf(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}
