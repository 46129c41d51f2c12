import { throwIfAborted } from "@acumen/core";
import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { isFileRefused } from "../../workspace/file-refused.ts";
import { openFolder } from "../../workspace/open-handle.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { IgnoreRules } from "./ignore-rules.ts";

export interface WalkOptions {
  readonly workspace: Workspace;
  /** Absolute real path of a folder inside the boundaries. */
  readonly start: string;
  /** Names the rule by which a file may not be found; undefined: there is none. */
  readonly deniedRead: (path: string) => string | undefined;
  readonly signal: AbortSignal;
}

/** What a walk passed by on purpose. */
export interface WalkNotes {
  /** Files and folders that hold key material by their name. */
  secret: number;
  /** Files that a rule of the settings denies. */
  denied: number;
  /** Folders that could not be read. */
  unreadable: number;
}

/** Entries of one folder that are looked at; more are a mistake or an attack. */
const MAX_ENTRIES = 1_000_000;

/**
 * Absolute paths of the regular files below a folder, in the order of their whole paths (code units). Skips what
 * `.gitignore` files say, `.git`, links, key material, what a rule denies, and the system's own folders.
 */
export async function* walkFiles(
  { workspace, start, deniedRead, signal }: WalkOptions,
  notes: WalkNotes,
): AsyncGenerator<string, void, undefined> {
  yield* walkFolder(start, await IgnoreRules.above(start));

  async function* walkFolder(
    folder: string,
    above: IgnoreRules | undefined,
  ): AsyncGenerator<string, void, undefined> {
    throwIfAborted(signal);
    const entries = await entriesOf(folder, signal);
    if (entries === undefined) {
      notes.unreadable += 1;
      return;
    }
    const hasRules = entries.some(({ name }) => name === ".gitignore");
    const rules = hasRules ? await IgnoreRules.of(folder, above) : above;
    for (const { name, isFolder } of entries) {
      const path = join(folder, name);
      if (name === ".git" || rules?.ignores(path, isFolder) === true) continue;
      if (workspace.secretRule(path) !== undefined) notes.secret += 1;
      else if (!isFolder && deniedRead(path) !== undefined) notes.denied += 1;
      else if (!isFolder) yield path;
      else if ((await workspace.locate(path, "read")).ok) yield* walkFolder(path, rules);
    }
  }
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Undefined: it cannot be read, or became a link. */
async function entriesOf(
  folder: string,
  signal: AbortSignal,
): Promise<readonly Entry[] | undefined> {
  const entries: Entry[] = [];
  try {
    await using handle = await openFolder(folder);
    // Through the open folder, so that no link is followed that was put in its place.
    const opened = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : folder;
    for await (const entry of await opendir(opened, { bufferSize: 256 })) {
      throwIfAborted(signal);
      if (isWanted(entry)) entries.push({ name: entry.name, isFolder: entry.isDirectory() });
      if (entries.length >= MAX_ENTRIES) break;
    }
  } catch (error) {
    throwIfAborted(signal);
    if (isFileRefused(error) || error instanceof Error) return undefined;
    throw error;
  }
  return entries.toSorted(byPath);
}

function isWanted(entry: Dirent): boolean {
  return entry.isFile() || entry.isDirectory();
}

/** As the whole paths would be sorted: a folder's name is followed by a slash there. */
function byPath(one: Entry, other: Entry): number {
  const left = one.isFolder ? `${one.name}/` : one.name;
  const right = other.isFolder ? `${other.name}/` : other.name;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
