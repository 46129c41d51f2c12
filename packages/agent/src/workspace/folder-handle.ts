import { errnoOf } from "@acumen/core";
import { type FileHandle, mkdir, readlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileRefused } from "./file-refused.ts";
import { openFolder } from "./open-handle.ts";
import { isWithin } from "./real-path.ts";

/**
 * An open folder whose place was checked. On Linux its entries are reached through the handle, so that nobody can put
 * another folder under its name in between; elsewhere by name.
 */
export class FolderHandle {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #base: string;

  private constructor(path: string, handle: FileHandle, base: string) {
    this.path = path;
    this.#handle = handle;
    this.#base = base;
  }

  static async open(path: string, at: string = path): Promise<FolderHandle> {
    const handle = await openFolder(path, at);
    const base = `/proc/self/fd/${handle.fd}`;
    const reachable = (await readlink(base).catch(() => undefined)) === path;
    return new FolderHandle(path, handle, reachable ? base : path);
  }

  /** The name by which an entry is to be used. */
  at(name: string): string {
    return join(this.#base, name);
  }

  openChild(name: string): Promise<FolderHandle> {
    return FolderHandle.open(join(this.path, name), this.at(name));
  }

  async sync(): Promise<void> {
    // Some file systems refuse fsync on a folder.
    await this.#handle.sync().catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }
}

/**
 * Opens the folder of a file, making what is missing step by step, never above a root.
 * @param path absolute real path of the file
 * @param onMade gets each folder that was made, outermost first, also when a later one fails
 * @throws FileRefused; the system's error
 */
export async function openParent(
  path: string,
  roots: readonly string[],
  onMade: (path: string) => void,
): Promise<FolderHandle> {
  const missing: string[] = [];
  let existing = dirname(path);
  let found = await openIfThere(existing);
  while (found === undefined) {
    missing.unshift(basename(existing));
    existing = dirname(existing);
    if (!roots.some((root) => isWithin(existing, root)))
      throw fileRefused(`The workspace folder of ${path} is gone; nothing was written.`);
    found = await openIfThere(existing);
  }
  return makeFolders(found, missing, onMade);
}

async function makeFolders(
  start: FolderHandle,
  names: readonly string[],
  onMade: (path: string) => void,
): Promise<FolderHandle> {
  let folder = start;
  for (const name of names) {
    const parent: FolderHandle = folder;
    try {
      if (await makeFolder(parent.at(name))) onMade(join(parent.path, name));
      folder = await parent.openChild(name);
    } finally {
      await parent.close();
    }
  }
  return folder;
}

async function openIfThere(path: string): Promise<FolderHandle | undefined> {
  try {
    return await FolderHandle.open(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    if (errnoOf(error) === "ENOTDIR" || errnoOf(error) === "ELOOP")
      throw fileRefused(`${path} is no folder (any more); nothing was written.`);
    throw error;
  }
}

/** False: somebody else was faster. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}
