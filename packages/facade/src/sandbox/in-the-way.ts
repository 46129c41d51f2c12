import { errnoOf } from "@acumen/core";
import { accessSync, constants, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";

const { W_OK, X_OK } = constants;
/** A larger folder is not looked through: it is the user's. */
const MAX_ENTRIES = 10_000;

/**
 * What keeps the paths of a change from being written in a folder: a folder where a file is to be, something else where a folder is to
 * be, or a folder that cannot be written. A path that the change takes away is not in the way.
 * @returns names of what is in the way, each once
 */
export function inTheWay(
  root: string,
  {
    written,
    removed,
  }: { readonly written: readonly string[]; readonly removed: readonly string[] },
): readonly string[] {
  const folders = new Folders(root, new Set(removed));
  const found = [...written, ...removed].flatMap((path) => folders.obstacle(path) ?? []);
  const blocking = written.filter((path) => folders.isKept(path));
  return [...new Set([...found, ...blocking])];
}

/** What stands there, links not followed. Undefined: nothing. */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

class Folders {
  readonly #root: string;
  readonly #removed: ReadonlySet<string>;
  readonly #known = new Map<string, Place>();

  constructor(root: string, removed: ReadonlySet<string>) {
    this.#root = root;
    this.#removed = removed;
  }

  /** On the way to a path. */
  obstacle(path: string): string | undefined {
    const place = this.#place(parentOf(path));
    if (place.blockedBy !== undefined) return place.blockedBy;
    return place.isWritable ? undefined : path;
  }

  /** Whether a folder stands at the path that would still hold something. */
  isKept(path: string): boolean {
    return entryAt(join(this.#root, path))?.isDirectory() === true && !this.#empties(path);
  }

  /** What of a folder is known is asked once. */
  #place(folder: string): Place {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const place = this.#look(folder);
    this.#known.set(folder, place);
    return place;
  }

  #look(folder: string): Place {
    const above = folder === "" ? undefined : this.#place(parentOf(folder));
    if (above?.blockedBy !== undefined) return above;
    const path = join(this.#root, folder);
    const stats = entryAt(path);
    // What is not there yet is made, by whoever may write above.
    const made = { isWritable: above?.isWritable ?? false, blockedBy: undefined };
    if (stats === undefined) return made;
    if (stats.isDirectory()) return { isWritable: isWritable(path), blockedBy: undefined };
    return this.#removed.has(folder) ? made : { isWritable: false, blockedBy: folder };
  }

  #empties(folder: string): boolean {
    const entries = readdirSync(join(this.#root, folder), { withFileTypes: true });
    if (entries.length === 0 || entries.length > MAX_ENTRIES) return false;
    return entries.every((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? this.#empties(path) : this.#removed.has(path);
    });
  }
}

interface Place {
  /** The folder itself, or the nearest above that there is. */
  readonly isWritable: boolean;
  readonly blockedBy: string | undefined;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, W_OK | X_OK);
    return true;
  } catch {
    return false;
  }
}
