import { readdir, readFile } from "node:fs/promises";
import { ConfigurationError } from "../../errors/domain-error.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";

const FOLDER = new URL("../../../migrations/", import.meta.url);

/** `ACUM`: whose database it is. */
const APPLICATION_ID = 0x4143554d;

export interface Migration {
  /** Counts from 1; the version of the database after it. */
  readonly version: number;
  readonly sql: string;
}

/** The numbered files of the package, in order. */
export async function readMigrations(folder: URL = FOLDER): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}-[a-z0-9-]+\.sql$/.test(name));
  return Promise.all(
    names.toSorted().map(async (name, index) => {
      const version = Number(name.slice(0, 3));
      if (version !== index + 1)
        throw new Error(`The migration ${name} is not number ${index + 1}.`);
      return { version, sql: await readFile(new URL(name, folder), "utf8") };
    }),
  );
}

/**
 * Brings a database up to date: all of it or nothing, also when two processes begin at once.
 * @throws ConfigurationError when it is another program's, or of a newer version
 */
export function migrate(db: SqliteDatabase, migrations: readonly Migration[], path: string): void {
  const newest = migrations.length;
  if (versionOf(db) === newest && isOurs(db)) return;
  db.transaction(() => {
    // Read again: another process may have been faster.
    const version = versionOf(db);
    if (!isOurs(db)) {
      throw new ConfigurationError(
        `${path} is the database of another program. Name another file.`,
        { details: { path } },
      );
    }
    if (version > newest) {
      throw new ConfigurationError(
        `${path} was written by a newer version (format ${version}; this one knows up to ${newest}). Update, or name another file.`,
        { details: { path, version, newest } },
      );
    }
    for (const { sql } of migrations.slice(version)) db.exec(sql);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${newest}`);
  }).immediate();
}

function versionOf(db: SqliteDatabase): number {
  return Number(db.pragma("user_version", { simple: true }));
}

/** An empty one becomes ours. */
function isOurs(db: SqliteDatabase): boolean {
  if (db.pragma("application_id", { simple: true }) === APPLICATION_ID) return true;
  return db.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined;
}
