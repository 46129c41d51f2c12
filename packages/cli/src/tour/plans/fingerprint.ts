import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** Objects that nothing refers to yet; all else of `.git` counts. */
const OBJECTS = join(".git", "objects") + sep;

/** SHA-256 (hex) over the names and bytes of every file of a repository, refs, index, settings and logs of git included. */
export async function fingerprint(root: string): Promise<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith(OBJECTS))
    .toSorted();
  const hash = createHash("sha256");
  for (const path of paths) {
    const content = await readFile(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}
