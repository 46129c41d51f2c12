/** `append-events.ts PATH`: opens the database as a server and appends events for ever; says each seq after it was acknowledged. */
import { writeSync } from "node:fs";
import { silentLogger, systemClock } from "@acumen/core";
import type { FacadeSession } from "../../../src/sessions/facade-session.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";

const NOW = "2026-01-01T00:00:00.000Z";
const SESSION: FacadeSession = {
  session_id: "s",
  owner: "local",
  status: "open",
  actor_name: null,
  title: "",
  profile: null,
  created_at: NOW,
  updated_at: NOW,
  closed_at: null,
  version: 1,
};

const [path = ""] = process.argv.slice(2);
const store = await openSqliteStore(path, { clock: systemClock, logger: silentLogger });
writeSync(1, "open\n");
for (let version = 1; ; version += 1) {
  const drafts = [
    { event_type: "x.count", data: { version } },
    { event_type: "x.more", data: { text: "a".repeat(version % 500) } },
  ];
  const sessions = [{ ...SESSION, version }];
  const { events } = await store.commit({ sessions, events: { owner: "local", drafts } });
  writeSync(1, `${version} ${events.at(-1)?.seq}\n`);
}
