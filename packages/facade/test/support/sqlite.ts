import { TestRunner } from "vitest";
import { loadDriver, type SqliteDatabase } from "../../src/store/sqlite/sqlite-driver.ts";

const driver = await loadDriver().catch(() => undefined);

/** The optional package better-sqlite3 is there. */
export const hasSqlite = driver !== undefined;

/** For the names of tests that need it. */
export const IF_SQLITE = hasSqlite ? "" : " (skipped: better-sqlite3 is not installed)";

/** Skips the test that runs when the package is missing, and says why. */
export function needsSqlite(): void {
  if (!hasSqlite) TestRunner.getCurrentTest()?.context.skip("better-sqlite3 is not installed");
}

/** A database as it is, without any of our tables. */
export function openRaw(path: string, options: { readonly timeout?: number } = {}): SqliteDatabase {
  if (driver === undefined) throw new Error("better-sqlite3 is not installed");
  return new driver(path, options);
}
