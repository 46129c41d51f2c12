import type { AcpEvent, AcpEventDraft } from "../../envelope/acp-event.ts";
import type { JsonObject } from "../../envelope/json-value.ts";
import { isFiltering, prefixOf } from "../../events/event-filter.ts";
import type { EventFilter } from "../../services/event-queue-service.ts";
import { checkCursor } from "../cursor-expired.ts";
import type { EventBounds, EventPage, EventQuery } from "../facade-store.ts";
import { chained, deepFreeze, loggedEvent } from "../logged-event.ts";
import {
  allOf,
  type Condition,
  equals,
  oneOf,
  type SqliteStatements,
} from "./sqlite-statements.ts";

interface LogRow extends EventBounds {
  readonly log: number;
}

interface EventRow extends Omit<AcpEvent, "data" | "prev_seq"> {
  readonly data: string;
}

const COLUMNS = "event_id, event_type, plan_id, session_id, data, timestamp, seq";

/** The logs of all owners. */
export class SqliteEventLog {
  readonly #statements: SqliteStatements;

  constructor(statements: SqliteStatements) {
    this.#statements = statements;
  }

  bounds(owner: string): EventBounds {
    const { oldest, newest } = this.#log(owner) ?? { oldest: 0, newest: 0 };
    return { oldest, newest };
  }

  /** Within a transaction. */
  append(owner: string, drafts: readonly AcpEventDraft[], timestamp: string): AcpEvent[] {
    if (drafts.length === 0) return [];
    const { log, newest } = this.#log(owner) ?? this.#begin(owner);
    const events = drafts.map((draft, index) => {
      const { event, text } = loggedEvent(draft, newest + 1 + index, timestamp);
      const { event_id, event_type, plan_id, session_id, seq } = event;
      this.#statements.run(
        `INSERT INTO events (${COLUMNS}, log) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        event_id,
        event_type,
        plan_id,
        session_id,
        text,
        timestamp,
        seq,
        log,
      );
      return event;
    });
    this.#statements.run("UPDATE logs SET newest = ? WHERE log = ?", newest + events.length, log);
    return events;
  }

  page(query: EventQuery): EventPage {
    const log = this.#log(query.owner);
    const { oldest, newest } = log ?? { oldest: 0, newest: 0 };
    if (query.after !== undefined) checkCursor(query.after, { oldest, newest });
    const after = Math.max(query.after ?? 0, oldest - 1, 0);
    if (log === undefined) return { events: [], cursor: 0, more: false, previous: null };
    const where = allOf([...equals("log", log.log), ...conditionsOf(query)]);
    const rows = this.#statements.all<EventRow>(
      `SELECT ${COLUMNS} FROM events WHERE ${where.sql} AND seq > ? ORDER BY seq LIMIT ?`,
      ...where.values,
      after,
      query.limit + 1,
    );
    const more = rows.length > query.limit;
    const events = rows.slice(0, query.limit).map(eventOf);
    const cursor = more ? (events.at(-1)?.seq ?? after) : newest;
    if (!isFiltering(query)) return { events, cursor, more, previous: null };
    const before = this.#statements.get<{ readonly seq: number }>(
      `SELECT seq FROM events WHERE ${where.sql} AND seq <= ? ORDER BY seq DESC LIMIT 1`,
      ...where.values,
      after,
    );
    const previous = before?.seq ?? null;
    return { events: chained(events, previous), cursor, more, previous };
  }

  /**
   * Forgets at most `most` events; what is forgotten is always the beginning of a log.
   * @returns how many; fewer than `most` when that was all
   */
  trim(limits: { readonly keep: number; readonly before: string }, most: number): number {
    let count = 0;
    for (const { log, oldest, newest } of this.#statements.all<LogRow>("SELECT * FROM logs")) {
      const young = this.#statements.get<{ readonly seq: number }>(
        "SELECT seq FROM events WHERE log = ? AND timestamp >= ? ORDER BY seq LIMIT 1",
        log,
        limits.before,
      );
      const first = Math.max(young?.seq ?? newest + 1, newest - limits.keep + 1);
      const end = Math.min(first, oldest + most - count);
      if (end <= oldest) continue;
      this.#statements.run("DELETE FROM events WHERE log = ? AND seq < ?", log, end);
      this.#statements.run("UPDATE logs SET oldest = ? WHERE log = ?", end, log);
      count += end - oldest;
    }
    return count;
  }

  #log(owner: string): LogRow | undefined {
    return this.#statements.get<LogRow>(
      "SELECT log, oldest, newest FROM logs WHERE owner = ?",
      owner,
    );
  }

  #begin(owner: string): LogRow {
    this.#statements.run("INSERT INTO logs (owner, oldest, newest) VALUES (?, 1, 0)", owner);
    return this.#log(owner) ?? { log: 0, oldest: 1, newest: 0 };
  }
}

function conditionsOf({ planId, sessionId, types }: EventFilter): readonly Condition[] {
  const conditions = [...equals("plan_id", planId), ...equals("session_id", sessionId)];
  if (types === undefined) return conditions;
  const prefixes = types.flatMap((type) => prefixOf(type) ?? []);
  const alternatives = [
    ...oneOf(
      "event_type",
      types.filter((type) => prefixOf(type) === undefined),
    ),
    ...prefixes.map((prefix) => ({
      sql: "substr(event_type, 1, ?) = ?",
      values: [prefix.length, prefix],
    })),
  ];
  const sql = `(${alternatives.map((one) => one.sql).join(" OR ")})`;
  return [...conditions, { sql, values: alternatives.flatMap(({ values }) => values) }];
}

function eventOf({ data, ...row }: EventRow): AcpEvent {
  return deepFreeze({ ...row, data: JSON.parse(data) as JsonObject });
}
