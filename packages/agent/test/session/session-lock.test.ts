import { mkdir, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createId } from "@acumen/core";
import { startProcess, type TempFolder, tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { FileSessionStore } from "../../src/index.ts";
import { ownIdentity } from "../../src/session/process-identity.ts";
import { claim, SessionLock } from "../../src/session/session-lock.ts";
import { newMeta } from "./support.ts";

const LOCKED = "AGENT_SESSION_LOCKED";

async function storedSession(home: TempFolder): Promise<string> {
  const meta = newMeta();
  await (await new FileSessionStore({ home: home.path }).create(meta, [])).close();
  return meta.session_id;
}

/** Leaves a lock as another process would. */
async function lockedBy(folder: string, owner: unknown): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name));
  await symlink(JSON.stringify(owner), join(folder, "lock.7"));
}

test("a process that was killed and still waits for its parent is dead", async () => {
  await using home = await tempFolder();
  const folder = home.join("session");
  await mkdir(folder);
  await using parent = startProcess({
    command: "/bin/sh",
    // The shell becomes a process that never asks how its child ended.
    args: ["-c", "sleep 0 & echo child $!; exec sleep 60"],
  });
  await parent.waitFor("stdout", /child \d+/);
  const pid = Number(/child (\d+)/.exec(parent.stdout())?.[1]);
  const fields = async (): Promise<string[]> => {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  };
  await expect.poll(async () => (await fields())[0]).toBe("Z");
  const { boot, host } = await ownIdentity();
  await lockedBy(folder, [pid, (await fields())[19], boot, host]);
  await (await SessionLock.acquire(folder, createId())).release();
});

test("a pid that another process was given since is no owner, and neither is one of an earlier start of the machine", async () => {
  await using home = await tempFolder();
  const folder = home.join("session");
  await mkdir(folder);
  const { pid, start, boot, host } = await ownIdentity();
  for (const owner of [
    [pid, `${start}1`, boot, host],
    [process.ppid, start, boot, host],
    [pid, start, "another boot", host],
    ["text", start, boot, host],
    "no owner",
  ]) {
    await lockedBy(folder, owner);
    await (await SessionLock.acquire(folder, createId())).release();
  }
  await lockedBy(folder, [pid, start, boot, host]);
  await expect(SessionLock.acquire(folder, createId())).rejects.toMatchObject({ code: LOCKED });
});

test("an owner on another machine can't be looked at, so the message says what to remove", async () => {
  await using home = await tempFolder();
  const id = await storedSession(home);
  const [key = ""] = (await readdir(home.join("sessions"))).filter((name) => !name.startsWith("."));
  const folder = home.join("sessions", key, id);
  const [lock = ""] = (await readdir(folder)).filter((name) => name.startsWith("lock."));
  const next = `lock.${Number(lock.slice(5)) + 1}`;
  await symlink(JSON.stringify([process.pid, "1", "b", `not-${hostname()}`]), join(folder, next));
  const store = new FileSessionStore({ home: home.path });
  const refused = {
    code: LOCKED,
    details: { session_id: id, pid: process.pid, host: `not-${hostname()}` },
    message: expect.stringContaining(`remove ${join(folder, next)}`),
  };
  await expect(store.open(id)).rejects.toMatchObject(refused);
  await expect(store.delete(id)).rejects.toMatchObject(refused);
  await rm(join(folder, next));
  await (await store.open(id)).close();
});

test("of many that find a dead owner at once, one gets the lock", async () => {
  await using home = await tempFolder();
  const { pid, start, boot, host } = await ownIdentity();
  for (let round = 0; round < 10; round += 1) {
    const folder = home.join(`session ${round}`);
    await mkdir(folder);
    await lockedBy(folder, [pid, `${start}1`, boot, host]);
    const asked = Array.from({ length: 12 }, () => SessionLock.acquire(folder, createId()));
    const settled = await Promise.allSettled(asked);
    const got = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(got).toHaveLength(1);
    const locks = (await readdir(folder)).filter((name) => name.startsWith("lock."));
    expect(locks).toEqual(["lock.8"]);
    await got[0]?.release();
    expect(await readlink(join(folder, "lock.9"))).toBe("free");
  }
});

test("whoever was so slow that others had the lock meanwhile does not get it", async () => {
  await using home = await tempFolder();
  await symlink("an owner", home.join("lock.10"));
  expect(await claim(home.path, 8, "slow")).toBe(false);
  expect(await claim(home.path, 10, "slow")).toBe(false);
  expect(await readdir(home.path)).toEqual(["lock.10"]);
  expect(await claim(home.path, 11, "next")).toBe(true);
  expect(await readdir(home.path)).toEqual(["lock.11"]);
});

test("taking and giving back, many times by many, never has two owners", async () => {
  await using home = await tempFolder();
  const { pid, start, boot, host } = await ownIdentity();
  let owners = 0;
  let most = 0;
  let taken = 0;
  const work = async (folder: string, pause: number): Promise<void> => {
    for (let round = 0; round < 6; round += 1) {
      const lock = await SessionLock.acquire(folder, createId()).catch(() => undefined);
      if (lock === undefined) continue;
      taken += 1;
      owners += 1;
      most = Math.max(most, owners);
      for (let step = 0; step < pause; step += 1) await readdir(home.path);
      owners -= 1;
      await lock.release();
    }
  };
  for (let round = 0; round < 8; round += 1) {
    const folder = home.join(`session ${round}`);
    await mkdir(folder);
    // Whoever looks at a dead owner is slow enough for others to overtake.
    await lockedBy(folder, [pid, `${start}1`, boot, host]);
    await Promise.all(Array.from({ length: 8 }, (_, index) => work(folder, index % 3)));
    const left = await readdir(folder);
    expect(left).toHaveLength(1);
    expect(await readlink(join(folder, left[0] ?? ""))).toBe("free");
  }
  expect(most).toBe(1);
  expect(taken).toBeGreaterThan(8);
});
