import { errnoOf, writeFileAtomic } from "@acumen/core";
import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import {
  lstat,
  mkdir,
  open,
  readFile,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
} from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { z } from "zod";

/** What stands at a path: a SHA-256 of the content or of the link's target. Null: nothing. */
const stateSchema = z
  .object({
    kind: z.enum(["file", "link"]),
    hash: z.string(),
    /** Permission bits; of a link they do not count. */
    mode: z.number().int(),
  })
  .nullable();
type FileState = z.output<typeof stateSchema>;

const entrySchema = z.object({ path: z.string(), before: stateSchema, after: stateSchema });
export type JournalEntry = z.output<typeof entrySchema>;

const journalSchema = z.object({
  format: z.literal("acumen.folder_journal"),
  version: z.literal(1),
  state: z.enum(["open", "done", "undone"]),
  root: z.string(),
  entries: z.array(entrySchema),
  /** That stood there before anything was written; an empty one of the user is told from one of ours by it. */
  folders: z.array(z.string()).exactOptional(),
});
type JournalRecord = z.output<typeof journalSchema>;

/** What the system says when something stands in the way, or may not be written. */
const HINDERED = new Set([
  "EACCES",
  "EBUSY",
  "EEXIST",
  "EISDIR",
  "ENAMETOOLONG",
  "ENOTDIR",
  "ENOTEMPTY",
  "EPERM",
  "EROFS",
]);

/** A file is not what it should be, or cannot be written; nothing was written over it. */
export class FileChanged extends Error {
  /** Within the folder. */
  readonly path: string;

  constructor(path: string, cause?: unknown) {
    super(`${path} changed meanwhile`, { cause });
    this.path = path;
  }
}

/**
 * A change to a plain folder that is written file by file. Beside the list lie the contents before and after, so that whoever opens it
 * after a crash can finish or undo it.
 */
export class FolderJournal {
  readonly #path: string;
  #record: JournalRecord;

  private constructor(path: string, record: JournalRecord) {
    this.#path = path;
    this.#record = record;
  }

  /** Undefined: nothing was begun. */
  static async open(path: string): Promise<FolderJournal | undefined> {
    let text: string;
    try {
      text = await readFile(join(path, "journal.json"), "utf8");
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    }
    return new FolderJournal(path, journalSchema.parse(JSON.parse(text)));
  }

  /** The contents are in place already, see {@link contentsBefore} and {@link contentsAfter}. */
  static async begin(
    path: string,
    root: string,
    entries: readonly JournalEntry[],
  ): Promise<FolderJournal> {
    const journal = new FolderJournal(path, {
      format: "acumen.folder_journal",
      version: 1,
      state: "open",
      root,
      entries: [...entries],
      folders: await foldersThere(root, entries),
    });
    await journal.#save("open");
    return journal;
  }

  get root(): string {
    return this.#record.root;
  }

  get isDone(): boolean {
    return this.#record.state === "done";
  }

  /**
   * @param passed told when a file is about to be replaced, and after each
   * @throws FileChanged when a file is neither as before nor as after, or cannot be written; the system's error
   */
  async write(passed: (point: "temp" | "file") => void = () => undefined): Promise<void> {
    for (const entry of this.#record.entries) {
      await this.#turn(entry, "before", "after", () => passed("temp"));
      passed("file");
    }
    await this.#save("done");
  }

  /** Puts back what was written, and leaves what somebody else changed meanwhile. */
  async undo(): Promise<void> {
    await this.#removeTemps();
    for (const entry of this.#record.entries.toReversed()) {
      try {
        await this.#turn(entry, "after", "before");
      } catch (error) {
        if (!(error instanceof FileChanged)) throw error;
      }
    }
    await this.#restoreFolders();
    await this.#save("undone");
  }

  /** Empty ones: of ours none stays, of the user's none is missing. */
  async #restoreFolders(): Promise<void> {
    const { root, entries, folders } = this.#record;
    // One of an earlier release does not know.
    if (folders === undefined) return;
    const known = new Set(folders);
    for (const folder of folders) {
      if (await isReached(root, folder)) await mkdir(join(root, folder)).catch(() => undefined);
    }
    for (const folder of foldersAmong(entries).toReversed()) {
      if (known.has(folder) || !(await isReached(root, folder))) continue;
      // Something else may lie in it by now.
      await rmdir(join(root, folder)).catch(() => undefined);
    }
  }

  /**
   * After a crash: finishes it, or undoes it where that cannot be done any more.
   * @returns whether the change is there, whole
   */
  async finish(): Promise<boolean> {
    if (this.#record.state !== "open") return this.isDone;
    try {
      await this.#removeTemps();
      await this.write();
      return true;
    } catch {
      await this.undo();
      return false;
    }
  }

  async #save(state: JournalRecord["state"]): Promise<void> {
    this.#record = { ...this.#record, state };
    await writeFileAtomic(join(this.#path, "journal.json"), JSON.stringify(this.#record));
  }

  /** What a process that died was writing. */
  async #removeTemps(): Promise<void> {
    const { root, entries } = this.#record;
    for (const { path } of entries) {
      if (await isReached(root, path))
        await unlink(tempOf(join(root, path))).catch(() => undefined);
    }
  }

  async #turn(
    entry: JournalEntry,
    from: "before" | "after",
    to: "before" | "after",
    ready: () => void = () => undefined,
  ): Promise<void> {
    try {
      await this.#replace(entry, from, to, ready);
    } catch (error) {
      if (!HINDERED.has(errnoOf(error) ?? "")) throw error;
      throw new FileChanged(entry.path, error);
    }
  }

  async #replace(
    entry: JournalEntry,
    from: "before" | "after",
    to: "before" | "after",
    ready: () => void,
  ): Promise<void> {
    const { root } = this.#record;
    const place = join(root, entry.path);
    const now = (await isReached(root, entry.path)) ? await stateOf(root, entry.path) : null;
    if (isSame(now, entry[to])) return;
    if (!isSame(now, entry[from])) throw new FileChanged(entry.path);
    const next = entry[to];
    if (next === null) {
      await unlink(place);
      await removeEmptyFolders(root, entry.path, to === "before" ? this.#record.folders : []);
      return;
    }
    await makeFolders(root, entry.path);
    await makeTemp(tempOf(place), join(this.#path, to, entry.path), next);
    ready();
    await rename(tempOf(place), place).catch(async (error: unknown) => {
      await unlink(tempOf(place)).catch(() => undefined);
      throw error;
    });
    await syncFolder(dirname(place));
  }
}

/** What stands there now. @throws FileChanged for a folder or device */
export async function stateOf(root: string, path: string): Promise<FileState> {
  const place = join(root, path);
  const stats = await statsOf(place);
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) {
    return { kind: "link", hash: hashOf(await readlink(place, "buffer")), mode: 0 };
  }
  if (!stats.isFile()) throw new FileChanged(path);
  return { kind: "file", hash: hashOf(await readFile(place)), mode: stats.mode & 0o7777 };
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

function hashOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function isSame(one: FileState, other: FileState): boolean {
  if (one === null || other === null) return one === other;
  return one.kind === other.kind && one.hash === other.hash && one.mode === other.mode;
}

/** Whether real folders of the project lead there. A link among them could lead anywhere. */
async function isReached(root: string, path: string): Promise<boolean> {
  for (const folder of foldersOf(path)) {
    if ((await statsOf(join(root, folder)))?.isDirectory() !== true) return false;
  }
  return true;
}

async function makeFolders(root: string, path: string): Promise<void> {
  for (const folder of foldersOf(path)) {
    const place = join(root, folder);
    await mkdir(place).catch((error: unknown) => {
      if (errnoOf(error) !== "EEXIST") throw error;
    });
    if ((await lstat(place)).isDirectory()) continue;
    throw new FileChanged(folder);
  }
}

async function removeEmptyFolders(
  root: string,
  path: string,
  kept: readonly string[] = [],
): Promise<void> {
  for (const folder of foldersOf(path).toReversed()) {
    if (kept.includes(folder)) return;
    try {
      await rmdir(join(root, folder));
    } catch {
      // Something else lies in it.
      return;
    }
  }
}

/** Of all entries, each once, outer ones first. */
function foldersAmong(entries: readonly JournalEntry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ path }) => foldersOf(path)))].toSorted();
}

async function foldersThere(root: string, entries: readonly JournalEntry[]): Promise<string[]> {
  const there: string[] = [];
  // An entry may stand for a file now and for a folder before, with empty folders of the user in it.
  for (const folder of foldersAmong(entries)) {
    const isFolder = (await statsOf(join(root, folder)))?.isDirectory() === true;
    if (isFolder && (await isReached(root, folder))) there.push(folder);
  }
  return there;
}

/** From the outermost one, without the file itself. */
function foldersOf(path: string): readonly string[] {
  const names = path.split(sep).slice(0, -1);
  return names.map((_name, index) => names.slice(0, index + 1).join(sep));
}

/** The same for every process, so that a later one finds what a dead one left. */
function tempOf(place: string): string {
  return join(dirname(place), `.acumen-${hashOf(place).slice(0, 16)}.tmp`);
}

async function makeTemp(temp: string, from: string, next: NonNullable<FileState>): Promise<void> {
  await unlink(temp).catch(() => undefined);
  if (next.kind === "link") {
    await symlink(await readlink(from, "buffer"), temp);
    return;
  }
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = await open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(await readFile(from));
    // The umask would take bits away.
    await handle.chmod(next.mode);
    await handle.sync();
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY).catch(() => undefined);
  // Some file systems refuse it; the file has its name by now.
  await handle?.sync().catch(() => undefined);
  await handle?.close().catch(() => undefined);
}
