import { sourceCommand, startProcess, tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { FileSessionStore } from "../../src/index.ts";
import { newMeta } from "./support.ts";

const SCRIPT = new URL("session-process.ts", import.meta.url);
const LOCKED = "AGENT_SESSION_LOCKED";

test("another live process keeps a session; after its end, orderly or by SIGKILL, it is free at once", async () => {
  await using home = await tempFolder();
  const store = new FileSessionStore({ home: home.path });
  const meta = newMeta();
  const id = meta.session_id;
  await (await store.create(meta, [])).close();
  for (const end of ["close", "kill"] as const) {
    await using other = startProcess(sourceCommand(SCRIPT, [home.path, id, "hold"]));
    await other.waitFor("stdout", "open", 30_000);
    const refused = { code: LOCKED, details: { session_id: id, pid: other.pid } };
    await expect(store.open(id)).rejects.toMatchObject(refused);
    await expect(store.open(id)).rejects.toThrow(`open in the process ${other.pid}`);
    await expect(store.delete(id)).rejects.toMatchObject(refused);
    // Reading and listing need no lock.
    expect((await store.read(id)).meta.session_id).toBe(id);
    expect((await store.list()).sessions).toHaveLength(1);
    if (end === "close") other.child.stdin.end();
    else other.kill("SIGKILL");
    await other.exited;
    const opened = await store.open(id);
    await opened.close();
  }
});
