import type Sqlite from "better-sqlite3";
import { ConfigurationError } from "../../errors/domain-error.ts";

export type SqliteDriver = typeof Sqlite;
export type SqliteDatabase = Sqlite.Database;

/**
 * The driver is an optional dependency, loaded when the first database is opened.
 * @throws ConfigurationError when it is not installed or was built for another Node
 */
export async function loadDriver(
  importDriver: () => Promise<{ readonly default: SqliteDriver }> = () => import("better-sqlite3"),
): Promise<SqliteDriver> {
  try {
    const { default: driver } = await importDriver();
    // Its native part is loaded with the first database, not with the module.
    new driver(":memory:").close();
    return driver;
  } catch (cause) {
    throw new ConfigurationError(
      "The database needs the package better-sqlite3, which is not installed or not built for this Node. Run `npm ci` again with a C++ compiler at hand, or use `acumen serve --ephemeral`, which keeps everything in memory.",
      { cause, details: { package: "better-sqlite3" } },
    );
  }
}
