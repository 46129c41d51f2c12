import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, type FileHandle, link, open, rename, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { createId, errnoOf } from "@acumen/core";
import { HeldFolder, makeMissingFolders, removeMadeFolders } from "./held-folder.ts";
import { sha256 } from "./sha256.ts";

/** How a file shall be. */
export interface FileTarget {
  /** Absolute real path. */
  readonly path: string;
  /** Null: no file. */
  readonly content: Uint8Array | null;
  /** Permission bits; null when there shall be no file. */
  readonly mode: number | null;
  /** SHA-256 (hex) of what may stand there now, null for no file; anything else is somebody's work. */
  readonly expected: ReadonlySet<string | null>;
}

/** What stands at a path now. */
interface Standing {
  /** SHA-256 (hex); null: no file. */
  readonly hash: string | null;
  readonly mode: number | null;
  /** Changes whenever the file does. */
  readonly identity: string;
}

const NOTHING: Standing = { hash: null, mode: null, identity: "none" };

/** Somebody's work, or a link, is in the way; the message goes on after the path. */
export class FileRefused extends Error {}

/**
 * One file on its way back: `check`, `stage`, `change`, then `finish`, or `takeBack` after a failure of any file. Rejects with system
 * errors and `FileRefused`.
 */
export class FileRestoration {
  readonly target: FileTarget;
  readonly #name: string;
  readonly #temp: string;
  readonly #backup: string;
  #folder: HeldFolder | undefined;
  #before = NOTHING;
  #madeFolders: readonly string[] = [];
  #staged = false;
  #backedUp = false;
  #changed = false;

  constructor(target: FileTarget) {
    this.target = target;
    this.#name = basename(target.path);
    const id = createId();
    // Not the name itself: it may be as long as a name can be.
    this.#temp = `.acumen-${id}.tmp`;
    this.#backup = `.acumen-${id}.bak`;
  }

  /** Changes nothing. */
  async check(): Promise<void> {
    try {
      this.#folder = await held(dirname(this.target.path));
      this.#before = await standingAt(this.#folder.at(this.#name));
    } catch (error) {
      if (errnoOf(error) === "ENOTDIR") throw new FileRefused("its folder is none any more");
      if (errnoOf(error) !== "ENOENT") throw error;
    }
    const { hash } = this.#before;
    if (this.target.expected.has(hash)) return;
    throw new FileRefused(hash === null ? "somebody removed it" : "somebody else changed it");
  }

  /** Puts the content beside the place where it belongs. */
  async stage(): Promise<void> {
    const { content, mode, path } = this.target;
    if (!this.#needsChange() || content === null) return;
    if (this.#folder === undefined) {
      const made = await makeMissingFolders(dirname(path));
      if (made === undefined) throw new FileRefused("its folder is reached through a link now");
      this.#madeFolders = made;
      this.#folder = await held(dirname(path));
    }
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const file = await open(this.#folder.at(this.#temp), flags, 0o600);
    this.#staged = true;
    try {
      await file.writeFile(content);
      await file.chmod(mode ?? 0o644);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async change(): Promise<void> {
    const folder = this.#folder;
    if (!this.#needsChange() || folder === undefined) return;
    const place = folder.at(this.#name);
    if ((await standingAt(place)).identity !== this.#before.identity) {
      throw new FileRefused("somebody else is changing it");
    }
    if (this.#before.hash !== null) {
      await keepAside(place, folder.at(this.#backup));
      this.#backedUp = true;
    }
    if (this.#staged) await rename(folder.at(this.#temp), place);
    else await unlink(place);
    this.#staged = false;
    this.#changed = true;
  }

  async finish(): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined) return;
    if (this.#backedUp) await unlink(folder.at(this.#backup)).catch(() => undefined);
    if (this.#changed) await folder.sync();
    await folder.close();
  }

  async takeBack(): Promise<void> {
    try {
      if (this.#folder !== undefined) await this.#takeBackIn(this.#folder);
    } finally {
      await this.#folder?.close();
      await removeMadeFolders(this.#madeFolders);
    }
  }

  async #takeBackIn(folder: HeldFolder): Promise<void> {
    const place = folder.at(this.#name);
    const backup = folder.at(this.#backup);
    if (this.#staged) await unlink(folder.at(this.#temp));
    if (this.#changed) await (this.#backedUp ? rename(backup, place) : unlink(place));
    else if (this.#backedUp) await unlink(backup);
  }

  #needsChange(): boolean {
    const { content, mode } = this.target;
    if (content === null) return this.#before.hash !== null;
    return this.#before.hash !== sha256(content) || this.#before.mode !== mode;
  }
}

async function held(path: string): Promise<HeldFolder> {
  const folder = await HeldFolder.open(path);
  if (folder === undefined) throw new FileRefused("its folder is reached through a link now");
  return folder;
}

async function standingAt(path: string): Promise<Standing> {
  const file = await openThere(path);
  if (file === undefined) return NOTHING;
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw new FileRefused("it is no file any more");
    const hash = createHash("sha256");
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      hash.update(chunk as Buffer);
    }
    const identity = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
    return { hash: hash.digest("hex"), mode: Number(stats.mode & 0o7777n), identity };
  } finally {
    await file.close();
  }
}

/** Undefined when nothing stands there. Neither follows a link nor waits for the other end of a pipe. */
async function openThere(path: string): Promise<FileHandle | undefined> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return await open(path, flags);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    if (errnoOf(error) === "ELOOP") throw new FileRefused("a link stands in its place");
    throw error;
  }
}

async function keepAside(path: string, backup: string): Promise<void> {
  try {
    await link(path, backup);
  } catch {
    // Not every file system has hard links.
    await copyFile(path, backup, constants.COPYFILE_EXCL);
  }
}
