import { copyFile, stat, utimes } from "node:fs/promises";

/**
 * Copies an index with its time: git takes a file that is younger than the index for one whose content it must look at, and an
 * index that became younger by being copied would hide changes of the same second.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(from);
  await copyFile(from, to);
  await utimes(to, atime, mtime);
}
