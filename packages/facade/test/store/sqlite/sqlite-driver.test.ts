import Sqlite from "better-sqlite3";
import { expect, it } from "vitest";
import { ConfigurationError } from "../../../src/errors/domain-error.ts";
import { loadDriver, type SqliteDriver } from "../../../src/store/sqlite/sqlite-driver.ts";

it("loads the driver", async () => {
  expect(await loadDriver()).toBe(Sqlite);
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
