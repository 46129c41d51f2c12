import type Sqlite from "better-sqlite3";
import type { SqliteDatabase } from "./sqlite-driver.ts";

export type SqlValue = string | number | null;
/** Part of a WHERE, with what stands for its question marks. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Prepared once each. SQL is put together from constants only; whatever comes from outside is bound. */
export class SqliteStatements {
  readonly db: SqliteDatabase;
  readonly #prepared = new Map<string, Sqlite.Statement<SqlValue[]>>();

  constructor(db: SqliteDatabase) {
    this.db = db;
  }

  /** @returns how many rows it changed */
  run(sql: string, ...values: readonly SqlValue[]): number {
    return this.#prepare(sql).run(...values).changes;
  }

  get<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: readonly SqlValue[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  #prepare(sql: string): Sqlite.Statement<SqlValue[]> {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare<SqlValue[]>(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

/** A condition that may be missing. */
export function equals(column: string, value: SqlValue | undefined): readonly Condition[] {
  return value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }];
}

export function oneOf(column: string, values: readonly string[] | undefined): readonly Condition[] {
  if (values === undefined) return [];
  // One parameter, whatever their number: one prepared statement.
  return [
    { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] },
  ];
}

export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND "),
    values: conditions.flatMap(({ values }) => values),
  };
}
