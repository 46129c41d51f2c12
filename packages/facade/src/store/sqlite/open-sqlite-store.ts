import { access, chmod, constants, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Clock,
  ensureFolder,
  errnoOf,
  type Logger,
  silentLogger,
  systemClock,
} from "@acumen/core";
import { ConfigurationError } from "../../errors/domain-error.ts";
import type { FacadeStore } from "../facade-store.ts";
import { migrate, type Migration, readMigrations } from "./migrations.ts";
import { lockForServer, writePid } from "./server-lock.ts";
import { loadDriver, type SqliteDatabase, type SqliteDriver } from "./sqlite-driver.ts";
import { SqliteFacadeStore } from "./sqlite-facade-store.ts";
import { sqliteCode } from "./sqlite-failure.ts";

export interface SqliteStoreOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Default true: this process alone serves the database. False for a command that looks something up or writes a token beside a server. */
  readonly exclusive?: boolean;
}

/** A write waits so long for another process; it blocks this one meanwhile. */
const BUSY_MS = 1_000;
/** Processes that begin at once make the file one after the other. */
const OPEN_MS = 10_000;

/**
 * Opens or makes the database at a path, for its user alone (0600), and brings it up to date.
 * @throws ConfigurationError when the driver is missing, another process serves it, it is of a newer version, or no database of ours
 */
export async function openSqliteStore(
  path: string,
  { clock = systemClock, logger = silentLogger, exclusive = true }: SqliteStoreOptions = {},
): Promise<FacadeStore> {
  const driver = await loadDriver();
  const migrations = await readMigrations();
  try {
    await makePrivate(path);
    if (exclusive) await makePrivate(`${path}.lock`);
    const lock = exclusive ? await lockForServer(driver, path) : undefined;
    try {
      const db = await connect(driver, path, migrations);
      if (exclusive) writePid(db, clock.now());
      return new SqliteFacadeStore(db, { clock, logger, closed: () => void lock?.close() });
    } catch (error) {
      lock?.close();
      throw error;
    }
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

/**
 * Whoever made the file, nobody else may read plans and hashes of tokens. One that is there is never opened here: a process that closes
 * any handle of a file loses all its locks of that file, also those of its database.
 */
async function makePrivate(path: string): Promise<void> {
  await ensureFolder(dirname(path), { mode: 0o700 });
  try {
    const handle = await open(path, "ax", 0o600);
    await handle.close();
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    if (!(await stat(path)).isFile()) {
      throw new ConfigurationError(`${path} is no file. Name another database.`, {
        details: { path },
      });
    }
    await chmod(path, 0o600);
    await access(path, constants.R_OK | constants.W_OK);
  }
}

async function connect(
  driver: SqliteDriver,
  path: string,
  migrations: readonly Migration[],
): Promise<SqliteDatabase> {
  const deadline = performance.now() + OPEN_MS;
  for (;;) {
    const db = new driver(path, { timeout: BUSY_MS });
    try {
      db.pragma("journal_mode = WAL");
      // The log is handed to the system with each commit, so a killed process loses nothing. A power cut may cost the last commits, never
      // a part of one; to wait for the disk each time would hold up the whole process.
      db.pragma("synchronous = NORMAL");
      db.pragma("foreign_keys = ON");
      migrate(db, migrations, path);
      return db;
    } catch (error) {
      db.close();
      // Changing to WAL does not wait for others.
      const isBusy = sqliteCode(error)?.startsWith("SQLITE_BUSY") ?? false;
      if (!isBusy || performance.now() >= deadline) throw error;
    }
    await sleep(25);
  }
}

function cannotOpen(path: string, cause: unknown): unknown {
  const code = sqliteCode(cause) ?? errnoOf(cause);
  // Its own errors and those of `core` have such codes too, and say more.
  if (code === undefined || !/^(SQLITE_|E[A-Z]+$)/.test(code)) return cause;
  const reason = /NOTADB|CORRUPT/.test(code)
    ? "it is damaged or no database; put back a copy, or move it away to begin anew"
    : `${code}; check the file, its folder and the space on the disk`;
  return new ConfigurationError(`The database ${path} cannot be opened: ${reason}.`, {
    cause,
    details: { path, errno: code },
  });
}
