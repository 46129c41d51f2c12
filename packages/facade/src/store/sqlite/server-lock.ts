import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError } from "../../errors/domain-error.ts";
import type { SqliteDatabase, SqliteDriver } from "./sqlite-driver.ts";
import { sqliteCode } from "./sqlite-failure.ts";

/** How long a process that begins at the same moment may take to write down its pid. */
const NAMING_MS = 2_000;
const RETRY_MS = 25;

/**
 * Locks `<path>.lock` for as long as the process lives. The system frees it, however the process ends, so there is no stale lock to
 * judge; the pid in the database is only there to be named.
 * @throws ConfigurationError naming the pid of who serves the database
 */
export async function lockForServer(driver: SqliteDriver, path: string): Promise<SqliteDatabase> {
  const lock = new driver(`${path}.lock`, { timeout: 0 });
  try {
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (cause) {
    lock.close();
    if (!sqliteCode(cause)?.startsWith("SQLITE_BUSY")) throw cause;
    const pid = await pidOfServer(driver, path);
    const who = pid === undefined ? "another process, which is just beginning" : `process ${pid}`;
    throw new ConfigurationError(
      `${path} is served by ${who} already. Use that server, stop it, or set ACUMEN_HOME to another folder for a database of its own.`,
      { details: { path, pid: pid ?? null } },
    );
  }
}

/** For the refusal of the next one. */
export function writePid(db: SqliteDatabase, now: Date): void {
  db.prepare("INSERT OR REPLACE INTO server (one, pid, started_at) VALUES (1, ?, ?)").run(
    process.pid,
    now.toISOString(),
  );
}

async function pidOfServer(driver: SqliteDriver, path: string): Promise<number | undefined> {
  const deadline = performance.now() + NAMING_MS;
  for (;;) {
    const pid = readPid(driver, path);
    if (pid !== undefined && isAlive(pid)) return pid;
    if (performance.now() >= deadline) return undefined;
    await sleep(RETRY_MS);
  }
}

function readPid(driver: SqliteDriver, path: string): number | undefined {
  let db: SqliteDatabase | undefined;
  try {
    db = new driver(path, { readonly: true, fileMustExist: true });
    const row = db.prepare("SELECT pid FROM server").get() as { readonly pid: number } | undefined;
    return row?.pid;
  } catch {
    // Not yet made.
    return undefined;
  } finally {
    db?.close();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
