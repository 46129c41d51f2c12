import { silentLogger, systemClock } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { expect, it, vi } from "vitest";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { LOCAL, publishMany, startReader } from "../events/support.ts";
import { needsSqlite } from "../support/sqlite.ts";

it("events outlive the process, and a reader resumes by its cursor in the next one", async () => {
  needsSqlite();
  await using folder = await tempFolder();
  const open = () =>
    openSqliteStore(folder.join("acumen.db"), { clock: systemClock, logger: silentLogger });
  const store = await open();
  const queue = new AcpEventQueue({ store });
  const { subscription_id: id } = await queue.open({ types: ["x.*"] }, LOCAL);
  const reader = startReader(queue, id);
  await publishMany(queue, 3);
  await vi.waitFor(() => expect(reader.seen).toHaveLength(4));
  const cursor = reader.seen.at(-1)?.seq;
  expect(cursor).toBe(3);
  // It goes away, events go on.
  reader.stop();
  await publishMany(queue, 3);
  await queue.close();
  await store.close();

  const nextStore = await open();
  const next = new AcpEventQueue({ store: nextStore });
  const resumed = await next.open({ types: ["x.*"], after: 3 }, LOCAL);
  const rest = startReader(next, resumed.subscription_id);
  await vi.waitFor(() => expect(rest.seen).toHaveLength(3));
  await publishMany(next, 2);
  await vi.waitFor(() => expect(rest.seen).toHaveLength(5));
  expect(rest.seen.map(({ seq, prev_seq }) => [seq, prev_seq])).toEqual([
    [4, 3],
    [5, 4],
    [6, 5],
    [7, 6],
    [8, 7],
  ]);
  await next.close();
  await nextStore.close();
});
