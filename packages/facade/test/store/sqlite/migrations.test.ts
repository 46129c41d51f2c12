import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { tempFolder } from "@acumen/testkit";
import { expect, it } from "vitest";
import { migrate, readMigrations } from "../../../src/store/sqlite/migrations.ts";
import { needsSqlite, openRaw } from "../../support/sqlite.ts";

it("numbers its files without gaps, and each can be run", async () => {
  needsSqlite();
  const migrations = await readMigrations();
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
  const db = openRaw(":memory:");
  migrate(db, migrations, "memory");
  expect(db.pragma("user_version", { simple: true })).toBe(migrations.length);
  migrate(db, migrations, "memory");
  db.close();
});

it("goes on from the version that is there, and takes all or nothing", async () => {
  needsSqlite();
  const one = { version: 1, sql: "CREATE TABLE a (n); INSERT INTO a VALUES (1);" };
  const two = { version: 2, sql: "ALTER TABLE a ADD COLUMN m; UPDATE a SET m = n + 1;" };
  const broken = { version: 3, sql: "CREATE TABLE b (n); CREATE TABLE b (n);" };
  const db = openRaw(":memory:");
  migrate(db, [one], "memory");
  migrate(db, [one, two], "memory");
  expect(db.prepare("SELECT * FROM a").all()).toEqual([{ n: 1, m: 2 }]);
  expect(() => migrate(db, [one, two, broken], "memory")).toThrow("already exists");
  expect(db.pragma("user_version", { simple: true })).toBe(2);
  expect(db.prepare("SELECT name FROM sqlite_master").all()).toEqual([{ name: "a" }]);
  db.close();
});

it("refuses a gap in the numbers", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.join("001-a.sql"), "SELECT 1;");
  await writeFile(folder.join("notes.txt"), "no migration");
  await writeFile(folder.join("003-c.sql"), "SELECT 1;");
  const read = readMigrations(pathToFileURL(`${folder.path}/`));
  await expect(read).rejects.toThrow("003-c.sql is not number 2");
});

it("travels with the package", async () => {
  const manifest = new URL("../../../package.json", import.meta.url);
  const { files } = JSON.parse(await readFile(manifest, "utf8")) as { readonly files: string[] };
  expect(files).toContain("migrations");
});
