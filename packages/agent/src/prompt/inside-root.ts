import { type FileHandle, readlink, realpath, stat } from "node:fs/promises";
import { sep } from "node:path";

/** Whether an absolute path lies below a folder, by its spelling. */
export function isBelow(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/**
 * Whether an open file lies below a folder. A folder on the way may have been swapped since its path was resolved: on Linux the kernel says
 * where the open file lies; elsewhere the name is resolved once more and must lead to the very file that is open.
 */
export async function opensBelow(handle: FileHandle, path: string, root: string): Promise<boolean> {
  const place = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (place !== undefined) return isBelow(place, root);
  const again = await realpath(path);
  const [named, opened] = await Promise.all([stat(again), handle.stat()]);
  return isBelow(again, root) && named.dev === opened.dev && named.ino === opened.ino;
}
