import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf } from "@acumen/core";

/**
 * A folder that was opened under its real path. Names below it are reached through the handle, so that a link that is swapped in
 * for one of its parents afterwards leads nowhere else. Where /proc is absent, only the check at the beginning holds.
 */
export class HeldFolder {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #base: string;

  private constructor(path: string, handle: FileHandle, base: string) {
    this.path = path;
    this.#handle = handle;
    this.#base = base;
  }

  /** Undefined when the folder is another one than its path says, by a link in it. Rejects with system errors, ENOENT among them. */
  static async open(path: string): Promise<HeldFolder | undefined> {
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    const handle = await open(path, flags);
    try {
      const own = `/proc/self/fd/${handle.fd}`;
      const inProc = await readlink(own).catch(() => undefined);
      if ((inProc ?? (await realpath(path))) === path) {
        return new HeldFolder(path, handle, inProc === undefined ? path : own);
      }
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return undefined;
  }

  at(name: string): string {
    return join(this.#base, name);
  }

  /** Some file systems refuse it; what was renamed was renamed by now. */
  async sync(): Promise<void> {
    await this.#handle.sync().catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Makes the folders that are missing; returns them, outermost first. Undefined when a link stands in the way. Rejects with system errors. */
export async function makeMissingFolders(path: string): Promise<readonly string[] | undefined> {
  const missing: string[] = [];
  let there = path;
  for (; !(await exists(there)); there = dirname(there)) missing.unshift(there);
  if ((await realpath(there)) !== there) return undefined;
  for (const folder of missing) await mkdir(folder);
  return missing;
}

/** Takes back what was made, innermost first; leaves what is no longer empty. */
export async function removeMadeFolders(made: readonly string[]): Promise<void> {
  for (const folder of made.toReversed()) await rmdir(folder).catch(() => undefined);
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}
