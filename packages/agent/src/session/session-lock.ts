import { readdir, readlink, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "@acumen/core";
import { livenessOf, ownIdentity, type ProcessIdentity } from "./process-identity.ts";
import { sessionLocked } from "./session-errors.ts";

/** `lock.<generation>`: a link, because making one is a single step that carries its text, and fails when it exists. */
const NAME = /^lock\.(\d{1,15})$/;
const FREE = "free";

interface Newest {
  /** 0: there was never a lock. */
  readonly generation: number;
  readonly text: string;
}

/**
 * The right of one process to write a session, kept in the session's folder. Each owner makes the next generation and then
 * removes the older ones; the newest is never removed, only followed. So of several processes that find a dead owner
 * one gets the lock, and it needs neither a timeout nor a second lock.
 */
export class SessionLock {
  readonly #folder: string;
  readonly #generation: number;

  private constructor(folder: string, generation: number) {
    this.#folder = folder;
    this.#generation = generation;
  }

  /**
   * Takes the lock at once when nobody has it or its owner is dead. Rejects with ENOENT when there is no such folder.
   * @throws AGENT_SESSION_LOCKED, also when this process has it
   */
  static async acquire(folder: string, sessionId: string): Promise<SessionLock> {
    const own = await ownIdentity();
    for (;;) {
      const newest = await newestOf(folder);
      const owner = ownerOf(newest.text);
      const state = owner === undefined ? "dead" : await livenessOf(owner, own);
      if (owner !== undefined && state !== "dead") {
        throw sessionLocked(sessionId, {
          pid: owner.pid,
          ...(state === "unseen" && {
            host: owner.host,
            lock: join(folder, nameOf(newest.generation)),
          }),
        });
      }
      const generation = newest.generation + 1;
      if (await claim(folder, generation, textOf(own))) return new SessionLock(folder, generation);
    }
  }

  /** The same lock after its folder was renamed. */
  movedTo(folder: string): SessionLock {
    return new SessionLock(folder, this.#generation);
  }

  /** A folder that is gone took its lock with it. */
  async release(): Promise<void> {
    try {
      await follow(this.#folder, this.#generation + 1, FREE);
      await removeOlder(this.#folder, this.#generation + 1);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return;
      // No room for a new name: giving up the old one needs none.
      await unlink(join(this.#folder, nameOf(this.#generation)));
    }
  }
}

/** Makes a generation of the lock and removes the older ones; false when others were faster. */
export async function claim(folder: string, generation: number, text: string): Promise<boolean> {
  if (!(await follow(folder, generation, text))) return false;
  if ((await newestOf(folder)).generation === generation) {
    await removeOlder(folder, generation);
    return true;
  }
  // Others have been through this generation already, and have removed it: what it followed is long past.
  await unlink(join(folder, nameOf(generation)));
  return false;
}

async function newestOf(folder: string): Promise<Newest> {
  for (;;) {
    const generation = Math.max(0, ...(await generationsIn(folder)));
    if (generation === 0) return { generation, text: FREE };
    try {
      return { generation, text: await readlink(join(folder, nameOf(generation))) };
    } catch (error) {
      // Removed by the owner of a newer one.
      if (errnoOf(error) !== "ENOENT") return { generation, text: FREE };
    }
  }
}

async function generationsIn(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => {
    const digits = NAME.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}

async function follow(folder: string, generation: number, text: string): Promise<boolean> {
  try {
    await symlink(text, join(folder, nameOf(generation)));
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function removeOlder(folder: string, generation: number): Promise<void> {
  const older = (await generationsIn(folder)).filter((each) => each < generation);
  await Promise.all(older.map((each) => unlink(join(folder, nameOf(each))).catch(() => undefined)));
}

function nameOf(generation: number): string {
  return `lock.${generation}`;
}

function textOf({ pid, start, boot, host }: ProcessIdentity): string {
  return JSON.stringify([pid, start, boot, host]);
}

/** Undefined for a lock that was let go, and for a text that no owner wrote. */
function ownerOf(text: string): ProcessIdentity | undefined {
  try {
    const [pid, start, boot, host] = JSON.parse(text) as unknown[];
    if (typeof pid !== "number" || !Number.isSafeInteger(pid)) return undefined;
    return { pid, start: String(start), boot: String(boot), host: String(host) };
  } catch {
    return undefined;
  }
}
