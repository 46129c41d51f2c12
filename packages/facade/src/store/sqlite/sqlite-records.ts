import type { Page, PageQuery } from "../facade-store.ts";
import { placeOf } from "../page-query.ts";
import { staleVersion } from "../record-table.ts";
import {
  allOf,
  type Condition,
  equals,
  type SqlValue,
  type SqliteStatements,
} from "./sqlite-statements.ts";

interface Versioned {
  readonly owner: string;
  readonly version: number;
}

export interface RecordKind<T extends Versioned> {
  readonly kind: "session" | "plan";
  readonly idOf: (record: T) => string;
  /** What queries look for, beside owner, id and version. */
  readonly columns: (record: T) => Readonly<Record<string, SqlValue>>;
}

/** Records of one kind: the body as JSON, and columns to find it by. */
export class SqliteRecords<T extends Versioned> {
  readonly #statements: SqliteStatements;
  readonly #kind: RecordKind<T>;
  readonly #table: string;

  constructor(statements: SqliteStatements, kind: RecordKind<T>) {
    this.#statements = statements;
    this.#kind = kind;
    this.#table = `${kind.kind}s`;
  }

  /** Within a transaction. @throws ConflictError when it does not follow the version that is there */
  put(record: T): void {
    const { kind, idOf, columns } = this.#kind;
    const id = idOf(record);
    const values = { version: record.version, ...columns(record), body: JSON.stringify(record) };
    const names = Object.keys(values);
    const isNew = record.version === 1;
    const sql = isNew
      ? `INSERT INTO ${this.#table} (${names.join(", ")}, owner, ${kind}_id) VALUES (${names.map(() => "?").join(", ")}, ?, ?) ON CONFLICT DO NOTHING`
      : `UPDATE ${this.#table} SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE owner = ? AND ${kind}_id = ? AND version = ?`;
    const at = isNew ? [record.owner, id] : [record.owner, id, record.version - 1];
    const count = this.#statements.run(sql, ...Object.values(values), ...at);
    if (count !== 1) throw staleVersion(kind, id, record.version);
  }

  get(owner: string, id: string): T | undefined {
    const sql = `SELECT body FROM ${this.#table} WHERE owner = ? AND ${this.#kind.kind}_id = ?`;
    const row = this.#statements.get<{ readonly body: string }>(sql, owner, id);
    return row && (JSON.parse(row.body) as T);
  }

  /** Newest first. */
  page(query: PageQuery, conditions: readonly Condition[]): Page<T> {
    const { owner, limit } = query;
    const below = placeOf(query);
    const where = allOf([
      ...equals("owner", owner),
      ...conditions,
      ...(below === undefined ? [] : [{ sql: "place < ?", values: [below] }]),
    ]);
    const rows = this.#statements.all<{ readonly place: number; readonly body: string }>(
      `SELECT place, body FROM ${this.#table} WHERE ${where.sql} ORDER BY place DESC LIMIT ?`,
      ...where.values,
      limit + 1,
    );
    const kept = rows.slice(0, limit);
    const last = rows.length > limit ? kept.at(-1) : undefined;
    return {
      items: kept.map(({ body }) => JSON.parse(body) as T),
      nextCursor: last === undefined ? null : String(last.place),
    };
  }
}
