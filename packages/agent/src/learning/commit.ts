import { saveSkillbook, type Skillbook } from "@acumen/ace";
import { createId, throwIfAborted, untilAborted, withFileLock } from "@acumen/core";
import { constants } from "node:fs";
import { copyFile } from "node:fs/promises";
import type { ProposalFile } from "./proposal.ts";
import type { ProposalStore } from "./proposal-store.ts";
import { type BookFile, readBookFile } from "../skills/book-files.ts";

/** A dead process's lock expires after 10 s. */
const LOCK_WAIT_MS = 15_000;

/** What was prepared while the locks were held: nothing is written yet. */
export interface Prepared<Result> {
  /** Writes it all. It is not interrupted, so that an abort leaves all of it or nothing. */
  write(): Promise<Result>;
}

/**
 * Holds the locks of these files, in this order, while it prepares and writes. An abort before the first write ends the call at once and
 * writes nothing, ever; one that comes later is too late, and the call succeeds.
 * @throws CORE_ABORTED, CORE_LOCK_TIMEOUT, CORE_FILE_NOT_WRITABLE, and what `prepare` and `write` throw
 */
export async function commitLocked<Result>(
  paths: readonly string[],
  prepare: () => Promise<Prepared<Result>>,
  signal?: AbortSignal,
): Promise<Result> {
  throwIfAborted(signal);
  let writing = false;
  const work = locked(paths, async () => {
    throwIfAborted(signal);
    const prepared = await prepare();
    throwIfAborted(signal);
    writing = true;
    return prepared.write();
  });
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    if (writing) return work;
    throw error;
  }
}

async function locked<Result>(
  [path, ...rest]: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (path === undefined) return work();
  return withFileLock(path, () => locked(rest, work), { waitMs: LOCK_WAIT_MS });
}

export interface OpenBook {
  readonly skillbook: Skillbook;
  /** Replaces the file, unless nothing has changed. A file with records that could not be read is kept beside it. */
  save(): Promise<void>;
}

/** Only while the lock of the book is held. @throws what `loadSkillbook` and `saveSkillbook` throw */
export async function openBook(file: BookFile): Promise<OpenBook> {
  const { skillbook, damaged } = await readBookFile(file);
  const { revision } = skillbook;
  return {
    skillbook,
    save: async () => {
      if (skillbook.revision === revision) return;
      const { path, check } = file;
      if (damaged) await copyFile(path, `${path}.${createId()}.damaged`, constants.COPYFILE_EXCL);
      await saveSkillbook(skillbook, path, check && { check });
    },
  };
}

/**
 * Writes the file of proposals, then the book. What the file says was counted is so never counted twice: a process that dies in between
 * loses the count. A book that cannot be written takes the file back to what it was.
 */
export async function saveAfter(
  book: OpenBook,
  store: ProposalStore,
  { before, after }: { readonly before: ProposalFile; readonly after: ProposalFile },
): Promise<void> {
  if (after !== before) await store.write(after);
  try {
    await book.save();
  } catch (error) {
    if (after !== before) await store.write(before);
    throw error;
  }
}
