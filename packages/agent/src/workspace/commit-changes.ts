import { abortError, AcumenError, errnoOf, throwIfAborted, untilAborted } from "@acumen/core";
import { rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { BeforeImage } from "../session/session-store.ts";
import type { FileOperations } from "../tools/operations.ts";
import { fileRefused, isFileRefused } from "./file-refused.ts";
import { type FolderHandle, openParent } from "./folder-handle.ts";
import { type FileSnapshot, readWhole } from "./read-file.ts";
import { hashOf, type ReadLedger } from "./read-ledger.ts";
import { StagedFile } from "./staged-file.ts";
import type { Place, Workspace } from "./workspace.ts";

/** What is to become of one file. */
export interface FileChange {
  readonly place: Place;
  /** The file that was shown; undefined: there was none. */
  readonly base: FileSnapshot | undefined;
  /** Null: the file goes. */
  readonly next: Uint8Array | null;
  /** `next` as text, for a host that writes its own buffers. */
  readonly text?: string;
  /** Permission bits of a new file. */
  readonly mode?: number;
}

export interface CommitContext {
  readonly workspace: Workspace;
  readonly operations?: FileOperations | undefined;
  /** Called for every file before the first byte of any changes. */
  readonly beforeWrite: (image: BeforeImage) => Promise<void>;
  readonly reads: ReadLedger;
  /** Seq of the call. */
  readonly seq: number;
  readonly signal: AbortSignal;
}

/** How long a host may take to put its buffer back. Milliseconds. */
const PUT_BACK_MS = 500;

/**
 * Makes all changes or none. The files that were shown are looked at again, and everything is written beside its target;
 * then each is put in place by a rename, if nobody touched the target since. When a step fails, what was done is put back. An abort counts until the
 * first file is put in place.
 * @throws FileRefused, with nothing changed (or a message that names what could not be put back); the abort's error
 */
export async function commitChanges(
  changes: readonly FileChange[],
  context: CommitContext,
): Promise<void> {
  const commit = new Commit(changes, context);
  await commit.run();
  for (const { place, next } of changes) {
    if (next === null) context.reads.forget(place.path);
    else context.reads.record(place.path, hashOf(next));
  }
}

class Commit {
  readonly #changes: readonly FileChange[];
  readonly #context: CommitContext;
  readonly #folders = new Map<string, FolderHandle>();
  readonly #made: string[] = [];
  readonly #staged: StagedFile[] = [];
  /** How to undo what was done, in the order in which it was done. */
  readonly #done: { readonly putBack: () => Promise<void>; readonly where: string }[] = [];

  constructor(changes: readonly FileChange[], context: CommitContext) {
    this.#changes = changes;
    this.#context = context;
  }

  async run(): Promise<void> {
    let current = "";
    let kept: readonly string[] = [];
    let succeeded = false;
    try {
      for (const change of this.#changes) {
        current = change.place.shown;
        await this.#stage(change, await this.#unchanged(change));
      }
      for (const change of this.#changes) await this.#context.beforeWrite(this.#imageOf(change));
      throwIfAborted(this.#context.signal);
      for (const [index, change] of this.#changes.entries()) {
        current = change.place.shown;
        await this.#apply(change, this.#staged[index]);
      }
      succeeded = true;
    } catch (error) {
      kept = await this.#putBack();
      throw this.#failure(error, current, kept);
    } finally {
      await this.#clear(kept.length > 0, succeeded);
    }
  }

  async #stage({ place, next, mode }: FileChange, disk: FileSnapshot["disk"]): Promise<void> {
    const folder = await this.#folderOf(place.path);
    const content = { bytes: next, disk, mode };
    this.#staged.push(await StagedFile.stage(place, folder, content, this.#context.signal));
  }

  async #folderOf(path: string): Promise<FolderHandle> {
    const known = this.#folders.get(dirname(path));
    if (known !== undefined) return known;
    const { folder, made } = await openParent(path, this.#context.workspace.roots);
    this.#folders.set(dirname(path), folder);
    this.#made.push(...made);
    return folder;
  }

  /** What the disk says of the file, if it still is the one that was shown. */
  async #unchanged({ place, base }: FileChange): Promise<FileSnapshot["disk"]> {
    const { operations, signal } = this.#context;
    const now = await readWhole(place, { operations, signal, forChange: true });
    if (now?.hash !== base?.hash) throw fileRefused(changedMessage(place, base));
    return now?.disk;
  }

  #imageOf({ place, base, next }: FileChange): BeforeImage {
    return {
      seq: this.#context.seq,
      path: place.path,
      content: base?.bytes ?? null,
      mode: base === undefined ? null : (base.disk?.mode ?? null),
      afterHash: next === null ? null : hashOf(next),
    };
  }

  async #apply(change: FileChange, staged: StagedFile | undefined): Promise<void> {
    if (staged === undefined) return;
    if (await this.#writeThroughHost(change, staged)) return;
    this.#done.push({ putBack: () => staged.putBack(), where: staged.backupPath });
    await staged.apply();
  }

  async #writeThroughHost({ place, base, text }: FileChange, staged: StagedFile): Promise<boolean> {
    const { operations, signal } = this.#context;
    if (text === undefined || operations?.writeBuffer === undefined) return false;
    const write = operations.writeBuffer.bind(operations);
    const putBack = async (): Promise<void> => {
      if (base === undefined) return staged.removeNew();
      const late = AbortSignal.timeout(PUT_BACK_MS);
      const old = Buffer.from(base.bytes).toString("utf8");
      await untilAborted(write(place.path, old, late), late);
    };
    this.#done.push({ putBack, where: "the editor" });
    const asked = write(place.path, text, signal).catch((error: unknown) => {
      this.#done.pop();
      throw fileRefused(`The editor did not write ${place.shown} (${reasonOf(error)}).`);
    });
    const taken = await untilAborted(asked, signal);
    if (!taken) this.#done.pop();
    return taken;
  }

  /** The places of what could not be put back. */
  async #putBack(): Promise<readonly string[]> {
    const kept: string[] = [];
    for (const { putBack, where } of this.#done.toReversed()) {
      await putBack().catch(() => void kept.push(where));
    }
    return kept;
  }

  #failure(error: unknown, current: string, kept: readonly string[]): unknown {
    if (kept.length > 0) {
      return fileRefused(
        `${current} could not be written, and not everything could be put back: look at ${kept.join(", ")}.`,
      );
    }
    if (this.#context.signal.aborted) return abortError(this.#context.signal);
    if (isFileRefused(error)) return fileRefused(`${error.message} Nothing was changed.`);
    const errno = AcumenError.isInstance(error) ? undefined : errnoOf(error);
    if (errno === undefined) return error;
    const reason = errno === "ENOSPC" || errno === "EDQUOT" ? "the disk is full" : errno;
    return fileRefused(`${current} cannot be written (${reason}). Nothing was changed.`);
  }

  async #clear(keepBackup: boolean, succeeded: boolean): Promise<void> {
    for (const staged of this.#staged) await staged.clear({ keepBackup });
    for (const folder of this.#folders.values()) await folder.close();
    if (succeeded) return;
    // Only folders that are still empty go.
    for (const path of this.#made.toReversed()) await rmdir(path).catch(() => undefined);
  }
}

function changedMessage({ shown }: Place, base: FileSnapshot | undefined): string {
  return base === undefined
    ? `${shown} was made by somebody else meanwhile; read it first.`
    : `${shown} was changed by somebody else since this change was prepared; read it again.`;
}

/** The first line, bounded: it is another program's text. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : "no reason given";
  return message.split("\n", 1).join("").slice(0, 200);
}
