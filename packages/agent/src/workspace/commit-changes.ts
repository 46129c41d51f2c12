import { abortError, AcumenError, errnoOf, throwIfAborted } from "@acumen/core";
import type { SeenFile } from "../events/event-payloads.ts";
import type { BeforeImage } from "../session/session-store.ts";
import type { FileOperations } from "../tools/operations.ts";
import { isUnconfirmed, writeThroughHost } from "./host-write.ts";
import { fileRefused, isFileRefused } from "./file-refused.ts";
import { type FileSnapshot, readWhole } from "./read-file.ts";
import type { ReadLedger } from "./read-ledger.ts";
import { sha256 } from "./sha256.ts";
import type { StagedFile } from "./staged-file.ts";
import { StagedSet } from "./staged-set.ts";
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
  /** Permission bits; default those of the file that is replaced. */
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

/**
 * Makes all changes or none. The files that were shown are looked at again, and everything is written beside its target;
 * then each is put in place by a rename, if nobody touched the target since. When a step fails, what was done is put back. An abort counts until the
 * first file is put in place.
 * @returns the files as they are now
 * @throws FileRefused, with nothing changed (or a message that names what could not be put back); the abort's error
 */
export async function commitChanges(
  changes: readonly FileChange[],
  context: CommitContext,
): Promise<readonly SeenFile[]> {
  const commit = new Commit(changes, context);
  await commit.run();
  const seen = changes.map(({ place: { path }, next }) => ({
    path,
    sha256: next === null ? null : sha256(next),
  }));
  for (const file of seen) context.reads.record(file);
  return seen;
}

class Commit {
  readonly #changes: readonly FileChange[];
  readonly #context: CommitContext;
  readonly #set: StagedSet;

  constructor(changes: readonly FileChange[], context: CommitContext) {
    this.#changes = changes;
    this.#context = context;
    this.#set = new StagedSet(context.workspace.roots);
  }

  async run(): Promise<void> {
    let current = "";
    const staged: StagedFile[] = [];
    try {
      for (const change of this.#changes) {
        current = change.place.shown;
        staged.push(await this.#stage(change, await this.#unchanged(change)));
      }
      for (const change of this.#changes) await this.#context.beforeWrite(this.#imageOf(change));
      throwIfAborted(this.#context.signal);
      for (const [index, change] of this.#changes.entries()) {
        current = change.place.shown;
        await this.#apply(change, staged[index]);
      }
    } catch (error) {
      throw this.#failure(error, current, await this.#set.putBack());
    } finally {
      await this.#set.close();
    }
  }

  #stage(change: FileChange, disk: FileSnapshot["disk"]): Promise<StagedFile> {
    const { place, next: bytes, mode } = change;
    return this.#set.stage(place, { bytes, disk, mode }, this.#context.signal);
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
      afterHash: next === null ? null : sha256(next),
    };
  }

  async #apply(change: FileChange, staged: StagedFile | undefined): Promise<void> {
    if (staged === undefined) return;
    if (await this.#writeThroughHost(change, staged)) return;
    await this.#set.apply(staged);
  }

  async #writeThroughHost({ place, base, text }: FileChange, staged: StagedFile): Promise<boolean> {
    const { operations, signal } = this.#context;
    if (text === undefined) return false;
    const putBack = base === undefined ? staged : Buffer.from(base.bytes).toString("utf8");
    return writeThroughHost({ place, text, putBack }, { operations, set: this.#set, signal });
  }

  #failure(error: unknown, current: string, kept: readonly string[]): unknown {
    if (kept.length > 0) {
      return fileRefused(
        `${current} could not be written, and not everything could be put back: look at ${kept.join(", ")}.`,
      );
    }
    if (this.#context.signal.aborted) return abortError(this.#context.signal);
    if (isUnconfirmed(error)) return error;
    if (isFileRefused(error)) return fileRefused(`${error.message} Nothing was changed.`);
    const errno = AcumenError.isInstance(error) ? undefined : errnoOf(error);
    if (errno === undefined) return error;
    const reason = errno === "ENOSPC" || errno === "EDQUOT" ? "the disk is full" : errno;
    return fileRefused(`${current} cannot be written (${reason}). Nothing was changed.`);
  }
}

function changedMessage({ shown }: Place, base: FileSnapshot | undefined): string {
  return base === undefined
    ? `${shown} was made by somebody else meanwhile; read it first.`
    : `${shown} was changed by somebody else since this change was prepared; read it again.`;
}
