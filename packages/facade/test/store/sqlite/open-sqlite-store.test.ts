import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { silentLogger, systemClock } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/errors/domain-error.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite/sqlite-driver.ts";
import { SqliteFacadeStore } from "../../../src/store/sqlite/sqlite-facade-store.ts";
import { hasSqlite, IF_SQLITE, openRaw } from "../../support/sqlite.ts";

const OPTIONS = { clock: systemClock, logger: silentLogger };

async function failure(work: Promise<unknown>): Promise<ConfigurationError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ConfigurationError) return error;
  throw new Error(`expected a ConfigurationError, got ${String(error)}`);
}

describe.skipIf(!hasSqlite)(`openSqliteStore${IF_SQLITE}`, () => {
  it("keeps everything until the next start", async () => {
    await using folder = await tempFolder();
    const path = folder.join("home", "deep", "acumen.db");
    const first = await openSqliteStore(path, OPTIONS);
    const drafts = [{ event_type: "x.a", data: { n: 1 } }];
    const { events } = await first.commit({ events: { owner: "local", drafts } });
    await first.close();
    await first.close();
    const second = await openSqliteStore(path, OPTIONS);
    expect((await second.events({ owner: "local", limit: 9 })).events).toEqual(events);
    const next = await second.commit({ events: { owner: "local", drafts } });
    expect(next.events[0]?.seq).toBe(2);
    await second.close();
  });

  it("is for its user alone, also when the file was not", async () => {
    await using folder = await tempFolder();
    const path = folder.join("acumen.db");
    await writeFile(path, "", { mode: 0o644 });
    const store = await openSqliteStore(path, OPTIONS);
    await store.commit({ events: { owner: "local", drafts: [{ event_type: "x.a", data: {} }] } });
    for (const name of ["", "-wal", "-shm", ".lock"]) {
      expect([name, (await stat(`${path}${name}`)).mode & 0o777]).toEqual([name, 0o600]);
    }
    await store.close();
  });

  it("refuses a second server, and lets a command look in beside it", async () => {
    await using folder = await tempFolder();
    const path = folder.join("acumen.db");
    const store = await openSqliteStore(path, OPTIONS);
    const error = await failure(openSqliteStore(path, OPTIONS));
    expect(error.message).toContain(`is served by process ${process.pid} already`);
    expect(error.details).toEqual({ path, pid: process.pid });
    const beside = await openSqliteStore(path, { ...OPTIONS, exclusive: false });
    await beside.addToken({
      token_id: "t",
      hash: "h",
      owner: "local",
      scopes: ["plan:read"],
      created_at: "2026-01-01T00:00:00.000Z",
      expires_at: null,
      revoked_at: null,
    });
    expect((await store.tokenByHash("h"))?.token_id).toBe("t");
    await beside.close();
    await store.close();
    await (await openSqliteStore(path, OPTIONS)).close();
  });

  it("is not taken for served because of a pid that somebody else has by now", async () => {
    await using folder = await tempFolder();
    const path = folder.join("acumen.db");
    await (await openSqliteStore(path, OPTIONS)).close();
    const db = openRaw(path);
    db.prepare("UPDATE server SET pid = ?").run(process.ppid);
    db.close();
    const store = await openSqliteStore(path, OPTIONS);
    const error = await failure(openSqliteStore(path, OPTIONS));
    expect(error.details).toEqual({ path, pid: process.pid });
    await store.close();
  });

  it("can be opened for the first time by many at once", async () => {
    await using folder = await tempFolder();
    const path = folder.join("acumen.db");
    const stores = await Promise.all(
      Array.from({ length: 8 }, () => openSqliteStore(path, { ...OPTIONS, exclusive: false })),
    );
    await Promise.all(stores.map((store) => store.close()));
  });

  it("refuses a database of a newer version and leaves it as it is", async () => {
    await using folder = await tempFolder();
    const path = folder.join("acumen.db");
    await (await openSqliteStore(path, OPTIONS)).close();
    const db = openRaw(path);
    db.pragma("user_version = 99");
    db.close();
    const error = await failure(openSqliteStore(path, OPTIONS));
    expect(error.message).toMatch(/newer version \(format 99; this one knows up to \d+\)/);
    const again = openRaw(path);
    expect(again.pragma("user_version", { simple: true })).toBe(99);
    again.close();
    // Who could not open it does not keep it locked.
    expect((await failure(openSqliteStore(path, OPTIONS))).message).toContain("newer version");
  });

  it("refuses another program's database", async () => {
    await using folder = await tempFolder();
    const path = folder.join("other.db");
    const db = openRaw(path);
    db.exec("CREATE TABLE theirs (a)");
    db.close();
    expect((await failure(openSqliteStore(path, OPTIONS))).message).toContain("another program");
  });

  it("says what is wrong with a file that is no database", async () => {
    await using folder = await tempFolder();
    const path = folder.join("acumen.db");
    await writeFile(path, "This is text and no database. ".repeat(200));
    const error = await failure(openSqliteStore(path, OPTIONS));
    expect(error.message).toContain("damaged or no database");
    expect(error.details).toEqual({ path, errno: "SQLITE_NOTADB" });
    await mkdir(folder.join("folder.db"));
    const isFolder = await failure(openSqliteStore(folder.join("folder.db"), OPTIONS));
    expect(isFolder.message).toContain("is no file");
    expect((await stat(folder.join("folder.db"))).mode & 0o100).toBe(0o100);
  });
});

describe.skipIf(!hasSqlite)(`a database that fails while it serves${IF_SQLITE}`, () => {
  async function withDatabase(): Promise<{
    readonly folder: Awaited<ReturnType<typeof tempFolder>>;
    readonly path: string;
    readonly db: SqliteDatabase;
    readonly store: SqliteFacadeStore;
  }> {
    const folder = await tempFolder();
    const path = folder.join("acumen.db");
    await (await openSqliteStore(path, OPTIONS)).close();
    const db = openRaw(path, { timeout: 10 });
    const store = new SqliteFacadeStore(db, { ...OPTIONS, closed: () => undefined });
    return { folder, path, db, store };
  }
  const big = {
    events: {
      owner: "local",
      drafts: [{ event_type: "x.big", data: { text: "a".repeat(60_000) } }],
    },
  };

  it("says that the disk is full, keeps nothing of the change, and goes on when there is space", async () => {
    const { folder, db, store } = await withDatabase();
    await using _removed = folder;
    const pages = Number(db.pragma("page_count", { simple: true }));
    db.pragma(`max_page_count = ${pages + 5}`);
    await expect(store.commit(big)).rejects.toMatchObject({
      code: "FACADE_NOT_AVAILABLE",
      retryable: true,
      details: { errno: "SQLITE_FULL" },
      message: expect.stringContaining("full") as string,
    });
    expect(await store.eventBounds("local")).toEqual({ oldest: 0, newest: 0 });
    db.pragma("max_page_count = 100000");
    expect((await store.commit(big)).events[0]?.seq).toBe(1);
    await store.close();
  });

  it("says that another process writes", async () => {
    const { folder, path, store } = await withDatabase();
    await using _removed = folder;
    const other = openRaw(path);
    other.exec("BEGIN IMMEDIATE");
    await expect(store.commit(big)).rejects.toMatchObject({
      code: "FACADE_NOT_AVAILABLE",
      retryable: true,
      details: { errno: "SQLITE_BUSY" },
    });
    other.close();
    expect((await store.commit(big)).events[0]?.seq).toBe(1);
    await store.close();
  });

  it("says that the file is damaged, without its path or any SQL", async () => {
    const { folder, path, db, store } = await withDatabase();
    await using _removed = folder;
    await store.commit(big);
    db.pragma("wal_checkpoint(TRUNCATE)");
    db.exec("UPDATE events SET data = '{torn'");
    const error: unknown = await store
      .events({ owner: "local", limit: 1 })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "FACADE_NOT_AVAILABLE",
      details: { errno: "SQLITE_CORRUPT" },
    });
    expect(String(error)).not.toContain(path);
    expect(String(error)).not.toMatch(/SELECT|UPDATE/);
    await store.close();
  });

  it("says that it is closed", async () => {
    const { folder, store } = await withDatabase();
    await using _removed = folder;
    await store.close();
    await expect(store.commit(big)).rejects.toMatchObject({ code: "FACADE_NOT_AVAILABLE" });
  });

  it("cannot be opened below what is no folder", async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join("file"), "");
    const opening = openSqliteStore(folder.join("file", "acumen.db"), OPTIONS);
    await expect(opening).rejects.toThrow(/file cannot be written \(EEXIST\)/);
  });

  const isRoot = process.getuid?.() === 0;
  const unlessRoot = isRoot ? " (skipped: root may write everywhere)" : "";
  it.skipIf(isRoot)(`cannot be opened where nothing may be written${unlessRoot}`, async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("closed"));
    await chmod(folder.join("closed"), 0o500);
    const error = await failure(openSqliteStore(folder.join("closed", "acumen.db"), OPTIONS));
    expect(error.details).toMatchObject({ errno: "EACCES" });
  });
});
