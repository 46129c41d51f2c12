import { errnoOf, type HandleCheck } from "@acumen/core";
import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { fileRefused } from "./file-refused.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * Refuses a handle that does not lie where its name says: a link was planted between the check by name and the opening.
 * On Linux the kernel says where an open file lies. Elsewhere the name is resolved once more and must lead to the very
 * file that is open.
 */
export const sameFileCheck: HandleCheck = async (handle, path) => {
  const real = await placeOf(handle, path);
  if (real === path) return;
  throw fileRefused(`${path} changed its place while it was opened; nothing was read or written.`);
};

async function placeOf(handle: FileHandle, path: string): Promise<string | undefined> {
  const link = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (link !== undefined) return link;
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return undefined;
  const [named, opened] = await Promise.all([stat(real), handle.stat()]);
  return named.dev === opened.dev && named.ino === opened.ino ? real : undefined;
}

const TRIES = 5;

/**
 * Opens for reading without following a link or hanging at a pipe, and checks the place before the first byte. A file
 * that was replaced right then by another regular file of that name is opened again.
 * @param path absolute real path
 * @returns undefined when there is no file
 * @throws FileRefused
 */
export async function openForReading(path: string): Promise<FileHandle | undefined> {
  for (let left = TRIES; ; left -= 1) {
    const handle = await openOrRefuse(path);
    if (handle === undefined) return undefined;
    try {
      await sameFileCheck(handle, path);
      return handle;
    } catch (error) {
      const replaced = (await handle.stat()).nlink === 0;
      await handle.close();
      if (!replaced || left <= 1) throw error;
    }
  }
}

async function openOrRefuse(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (cause) {
    const errno = errnoOf(cause);
    if (errno === "ENOENT") return undefined;
    if (errno === "ELOOP")
      throw fileRefused(`${path} became a link while it was opened; nothing was read.`);
    if (errno === "ENXIO") throw fileRefused(`${path} is a socket or device, not a regular file.`);
    throw fileRefused(`${path} cannot be opened (${errno ?? "unknown error"}).`);
  }
}

/** Opens a folder, not through a link, and checks its place. @throws FileRefused; the system's error when it is not there */
export async function openFolder(path: string, at: string = path): Promise<FileHandle> {
  const handle = await open(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await sameFileCheck(handle, path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
