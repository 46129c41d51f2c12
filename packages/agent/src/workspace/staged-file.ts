import { createId, errnoOf } from "@acumen/core";
import { constants } from "node:fs";
import { copyFile, type FileHandle, link, lstat, open, rename, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileRefused } from "./file-refused.ts";
import type { FolderHandle } from "./folder-handle.ts";
import { sameFileCheck } from "./open-handle.ts";
import { type DiskFacts, factsOf } from "./read-file.ts";
import type { Place } from "./workspace.ts";

const { COPYFILE_EXCL, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

export interface StagedContent {
  /** Null deletes. */
  readonly bytes: Uint8Array | null;
  /** Of the file that is replaced or removed; undefined: there must be none. */
  readonly disk: DiskFacts | undefined;
  /** Permission bits; default those of the file that is replaced, for a new one what the process gives. */
  readonly mode?: number | undefined;
}

/**
 * One file on its way: written beside its target, put in place by a rename, and put back if others fail. A process that is killed
 * meanwhile leaves `.acumen-<ULID>.tmp` (new content) or `.acumen-<ULID>.bak` (old content) in the folder, perhaps as a second name
 * of the file itself. Nobody sweeps them: a name does not say whether another process still needs the file, nor whether it is the only
 * copy of somebody's work.
 */
export class StagedFile {
  readonly place: Place;
  readonly #folder: FolderHandle;
  readonly #content: StagedContent;
  readonly #name: string;
  // Not the target's name with an ending: that may be as long as a name can be.
  readonly #temp = `.acumen-${createId()}.tmp`;
  readonly #backup = `.acumen-${createId()}.bak`;
  #left: "none" | "made" | "backed_up" = "none";

  private constructor(place: Place, folder: FolderHandle, content: StagedContent) {
    this.place = place;
    this.#folder = folder;
    this.#content = content;
    this.#name = basename(place.path);
  }

  /** Writes the new content to a temp file and makes it durable. On failure nothing is left. */
  static async stage(
    place: Place,
    folder: FolderHandle,
    content: StagedContent,
    signal: AbortSignal,
  ): Promise<StagedFile> {
    const staged = new StagedFile(place, folder, content);
    if (content.bytes !== null) await staged.#write(content.bytes, signal);
    return staged;
  }

  async #write(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const { disk, mode } = this.#content;
    const temp = this.#folder.at(this.#temp);
    let handle: FileHandle | undefined;
    try {
      // Until its content is whole nobody else needs to read a file whose bits are known.
      const open0 = disk === undefined && mode === undefined ? 0o666 : 0o600;
      handle = await open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, open0);
      await sameFileCheck(handle, join(this.#folder.path, this.#temp));
      await handle.writeFile(bytes, { signal });
      if (disk !== undefined) await keepOwner(handle, disk);
      const bits = mode ?? disk?.mode;
      if (bits !== undefined) await handle.chmod(bits);
      await handle.sync();
    } catch (error) {
      await unlink(temp).catch(() => undefined);
      throw error;
    } finally {
      await handle?.close();
    }
  }

  /** Puts the content in place. @throws FileRefused when the target is not what it was; the system's error */
  async apply(): Promise<void> {
    const { bytes, disk } = this.#content;
    await this.#refuseChanged(disk);
    if (disk === undefined) await this.#applyNew();
    else if (bytes === null) await this.#moveAside();
    else {
      await this.#backUp();
      await rename(this.#folder.at(this.#temp), this.#folder.at(this.#name));
    }
  }

  async #refuseChanged(disk: DiskFacts | undefined): Promise<void> {
    const path = this.#folder.at(this.#name);
    const stats = await lstat(path, { bigint: true }).catch((error: unknown) => {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if ((stats && factsOf(stats).stamp) === disk?.stamp) return;
    throw fileRefused(`${this.place.shown} was changed by somebody else just now.`);
  }

  /** A link fails where a rename would replace what somebody else made just now. */
  async #applyNew(): Promise<void> {
    if (this.#content.bytes === null) return;
    const temp = this.#folder.at(this.#temp);
    const target = this.#folder.at(this.#name);
    try {
      await link(temp, target);
      this.#left = "made";
      await unlink(temp);
    } catch (error) {
      if (!canNotLink(error)) throw error;
      await rename(temp, target);
      this.#left = "made";
    }
  }

  /**
   * A second name costs no space, and keeps the old file with all that belongs to it. Moving it away instead would leave nothing under
   * its name if the process were killed before the new file comes.
   */
  async #backUp(): Promise<void> {
    const target = this.#folder.at(this.#name);
    const backup = this.#folder.at(this.#backup);
    try {
      await link(target, backup);
    } catch (error) {
      if (!canNotLink(error)) throw error;
      await copyFile(target, backup, COPYFILE_EXCL);
    }
    this.#left = "backed_up";
  }

  async #moveAside(): Promise<void> {
    await rename(this.#folder.at(this.#name), this.#folder.at(this.#backup));
    this.#left = "backed_up";
  }

  /** Undoes {@link apply}, also one that failed half-way. Rejects when that fails. */
  async putBack(): Promise<void> {
    if (this.#left === "made") await unlink(this.#folder.at(this.#name));
    if (this.#left === "backed_up")
      await rename(this.#folder.at(this.#backup), this.#folder.at(this.#name));
    this.#left = "none";
  }

  /** Takes away what the host wrote where no file was. */
  async removeNew(): Promise<void> {
    await unlink(this.#folder.at(this.#name)).catch((error: unknown) => {
      if (errnoOf(error) !== "ENOENT") throw error;
    });
  }

  /** Where the old content is kept until the end; for the message when it cannot be put back. */
  get backupPath(): string {
    return join(this.#folder.path, this.#backup);
  }

  /** Removes what was needed on the way. `keepBackup`: it could not be put back. */
  async clear({ keepBackup = false } = {}): Promise<void> {
    if (this.#content.bytes !== null)
      await unlink(this.#folder.at(this.#temp)).catch(() => undefined);
    if (this.#left === "backed_up" && !keepBackup)
      await unlink(this.#folder.at(this.#backup)).catch(() => undefined);
    await this.#folder.sync();
  }
}

function canNotLink(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "EPERM" || errno === "ENOTSUP" || errno === "EOPNOTSUPP" || errno === "ENOSYS";
}

/** A file that root edits stays its owner's; others cannot give files away. */
async function keepOwner(handle: FileHandle, { uid, gid }: DiskFacts): Promise<void> {
  const stats = await handle.stat();
  if (stats.uid !== uid || stats.gid !== gid) await handle.chown(uid, gid).catch(() => undefined);
}
