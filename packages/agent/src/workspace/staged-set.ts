import { rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type FolderHandle, openParent } from "./folder-handle.ts";
import { type StagedContent, StagedFile } from "./staged-file.ts";
import type { Place } from "./workspace.ts";

/** How to take back one step that was taken. */
interface TakenStep {
  readonly putBack: () => Promise<void>;
  /** Where the old content is if that fails. */
  readonly where: string;
}

/**
 * Files that change together: staged beside their targets, then put in place one after the other, and put back when one of them
 * fails. Ends with `close`, whatever happened.
 */
export class StagedSet {
  readonly #roots: readonly string[];
  readonly #folders = new Map<string, FolderHandle>();
  readonly #made: string[] = [];
  readonly #files: StagedFile[] = [];
  readonly #taken = new Set<TakenStep>();
  #failed = false;
  #keepBackups = false;

  /** @param roots no folder is made above them */
  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  /** Makes missing folders and writes the content beside the target. @throws FileRefused; the system's error; the abort's */
  async stage(place: Place, content: StagedContent, signal: AbortSignal): Promise<StagedFile> {
    const folder = await this.#folderOf(place.path);
    const file = await StagedFile.stage(place, folder, content, signal);
    this.#files.push(file);
    return file;
  }

  async #folderOf(path: string): Promise<FolderHandle> {
    const known = this.#folders.get(dirname(path));
    if (known !== undefined) return known;
    const folder = await openParent(path, this.#roots, (made) => this.#made.push(made));
    this.#folders.set(dirname(path), folder);
    return folder;
  }

  /** @throws FileRefused when the target is not what it was; the system's error */
  async apply(file: StagedFile): Promise<void> {
    this.taken({ putBack: () => file.putBack(), where: file.backupPath });
    await file.apply();
  }

  /** Notes a step that was taken by other means. Returns how to forget it, if it was not taken after all. */
  taken(step: TakenStep): () => void {
    this.#taken.add(step);
    return () => void this.#taken.delete(step);
  }

  /** Takes back every step, the last one first. Returns where the old content is of what could not be put back. */
  async putBack(): Promise<readonly string[]> {
    this.#failed = true;
    const kept: string[] = [];
    for (const { putBack, where } of [...this.#taken].toReversed()) {
      await putBack().catch(() => void kept.push(where));
    }
    this.#keepBackups = kept.length > 0;
    return kept;
  }

  /** Removes what was needed on the way; after `putBack` also the folders that were made and are empty. */
  async close(): Promise<void> {
    for (const file of this.#files) await file.clear({ keepBackup: this.#keepBackups });
    for (const folder of this.#folders.values()) await folder.close();
    if (!this.#failed) return;
    for (const path of this.#made.toReversed()) await rmdir(path).catch(() => undefined);
  }
}
