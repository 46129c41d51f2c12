import { silentLogger, systemClock } from "@acumen/core";
import { sourceCommand, startProcess, tempFolder } from "@acumen/testkit";
import { expect, it } from "vitest";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";

const APPENDER = new URL("../support/append-events.ts", import.meta.url);
const OPTIONS = { clock: systemClock, logger: silentLogger };

it("loses nothing that was acknowledged when it is killed, and is taken over by the next start", async () => {
  await using folder = await tempFolder();
  const path = folder.join("acumen.db");
  let acknowledged = 0;
  for (let round = 0; round < 3; round += 1) {
    // The version of the record begins anew with each round.
    const file = `${path}${round}`;
    await using server = startProcess(sourceCommand(APPENDER, [file]));
    await server.waitFor("stdout", new RegExp(`^${20 * (round + 1)} \\d+$`, "m"));
    server.kill("SIGKILL");
    await server.exited;
    const last = /(\d+) (\d+)\n[^\n]*$/.exec(server.stdout());
    const version = Number(last?.[1]);
    acknowledged = Number(last?.[2]);
    const store = await openSqliteStore(file, OPTIONS);
    const { newest } = await store.eventBounds("local");
    expect(newest).toBeGreaterThanOrEqual(acknowledged);
    const { events } = await store.events({ owner: "local", limit: newest });
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: newest }, (_, i) => i + 1));
    // State and events came together: two events for each version, never one.
    const session = await store.session("local", "s");
    expect(session?.version).toBeGreaterThanOrEqual(version);
    expect(newest).toBe((session?.version ?? 0) * 2);
    await store.close();
  }
  expect(acknowledged).toBeGreaterThan(0);
});

it("names the pid of the server that runs", async () => {
  await using folder = await tempFolder();
  const path = folder.join("acumen.db");
  await using server = startProcess(sourceCommand(APPENDER, [path]));
  await server.waitFor("stdout", "open\n");
  await expect(openSqliteStore(path, OPTIONS)).rejects.toMatchObject({
    code: "FACADE_CONFIGURATION_ERROR",
    message: expect.stringContaining(`process ${server.pid} already`) as string,
    details: { pid: server.pid },
  });
  server.kill("SIGKILL");
  await server.exited;
  await (await openSqliteStore(path, OPTIONS)).close();
});

it("stays locked when the same process tries to open it a second time", async () => {
  await using folder = await tempFolder();
  const path = folder.join("acumen.db");
  const store = await openSqliteStore(path, OPTIONS);
  await expect(openSqliteStore(path, OPTIONS)).rejects.toThrow(`process ${process.pid} already`);
  await using other = startProcess(sourceCommand(APPENDER, [path]));
  await Promise.race([other.exited, other.waitFor("stdout", "open\n")]);
  expect(other.stderr()).toContain(`is served by process ${process.pid} already`);
  await store.close();
});

it("starts once when two start at the same moment", async () => {
  await using folder = await tempFolder();
  const path = folder.join("acumen.db");
  await using one = startProcess(sourceCommand(APPENDER, [path]));
  await using two = startProcess(sourceCommand(APPENDER, [path]));
  const loser = await Promise.race([
    one.exited.then(() => ({ lost: one, won: two })),
    two.exited.then(() => ({ lost: two, won: one })),
  ]);
  await loser.won.waitFor("stdout", "open\n");
  expect(loser.lost.stdout()).toBe("");
  expect(loser.lost.stderr()).toContain(`is served by process ${loser.won.pid} already`);
});
