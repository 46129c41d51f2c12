import { expect, it } from "vitest";
import { ConfigurationError } from "../../../src/errors/domain-error.ts";
import { loadDriver, type SqliteDriver } from "../../../src/store/sqlite/sqlite-driver.ts";
import { hasSqlite, IF_SQLITE } from "../../support/sqlite.ts";

it.skipIf(!hasSqlite)(`loads the driver${IF_SQLITE}`, async () => {
  const driver = await loadDriver();
  const db = new driver(":memory:");
  expect(db.prepare("SELECT 1 AS one").get()).toEqual({ one: 1 });
  db.close();
});

const missing = (): Promise<never> =>
  Promise.reject(Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }));
/** As when the native part was built for another Node: the module loads, the first database fails. */
const unbuilt = (): Promise<{ readonly default: SqliteDriver }> => {
  const broken = function (): never {
    throw Object.assign(new Error("invalid ELF header"), { code: "ERR_DLOPEN_FAILED" });
  };
  return Promise.resolve({ default: broken as unknown as SqliteDriver });
};

it.each([
  ["missing", missing],
  ["not built", unbuilt],
])("says what to do when it is %s", async (_what, importDriver) => {
  const error: unknown = await loadDriver(importDriver).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toMatch(/better-sqlite3.*npm ci.*--ephemeral/);
});
