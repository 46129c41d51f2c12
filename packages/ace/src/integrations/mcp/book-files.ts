import { type HandleCheck, withFileLock } from "@acumen/core";
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { loadSkillbook, saveSkillbook } from "../../skillbook/file.ts";
import type { LoadReport } from "../../skillbook/load.ts";
import type { Skillbook } from "../../skillbook/skillbook.ts";
import type { SkillbookSnapshot } from "../../skillbook/snapshot.ts";
import { adopt } from "./adopt.ts";
import { asFileError } from "./file-errors.ts";
import type { ResolvedPath, SavePath } from "./paths.ts";
import type { Session } from "./session.ts";

/** A file as this session last read or wrote it. */
export interface KnownFile {
  /** Changes whenever anybody replaces or edits the file. */
  readonly identity: string;
  /** The book that the file held then: what both sides changed since is told by comparing with it. */
  readonly base: SkillbookSnapshot;
}

export type SaveMode = "created" | "replaced" | "merged";

/** A dead process's lock expires after 10 s. */
const LOCK_WAIT_MS = 15_000;

/** Reads a skillbook file. Rejects with a VALIDATION_ERROR that names the reason. */
export async function readBook(source: ResolvedPath): Promise<{
  readonly skillbook: Skillbook;
  readonly file: KnownFile;
  readonly report: LoadReport;
}> {
  let identity = "";
  const check: HandleCheck = async (handle, path) => {
    await source.check(handle, path);
    identity = identityOf(await handle.stat({ bigint: true }));
  };
  try {
    const { skillbook, report } = await loadSkillbook(source.path, { check });
    return { skillbook, report, file: { identity, base: skillbook.snapshot() } };
  } catch (error) {
    throw asFileError(error, source.path);
  }
}

/**
 * Writes the session's book, alone among processes. A file that this session loaded or saved before and that somebody has
 * changed since is merged in; any other skillbook is replaced; what is no skillbook is refused.
 */
export async function writeBook(
  session: Session,
  target: SavePath,
  signal: AbortSignal,
): Promise<SaveMode> {
  await target.makeFolder();
  try {
    const write = async (): Promise<SaveMode> => {
      const before = session.skillbook.snapshot();
      const mode = await settleWith(session, target);
      try {
        await saveSkillbook(session.skillbook, target.path, { signal, check: target.check });
      } catch (error) {
        // A save that failed has done nothing, so what it merged in goes again.
        if (mode === "merged") session.skillbook.restore(before);
        throw error;
      }
      session.rememberFile(target.path, {
        identity: (await fileIdentity(target.path)) ?? "",
        base: session.skillbook.snapshot(),
      });
      return mode;
    };
    return await withFileLock(target.path, write, { waitMs: LOCK_WAIT_MS });
  } catch (error) {
    throw asFileError(error, target.path);
  }
}

/** Brings the session and an existing file together before the file is replaced. */
async function settleWith(session: Session, target: SavePath): Promise<SaveMode> {
  const identity = await fileIdentity(target.path);
  if (identity === undefined) return "created";
  const known = session.knownFile(target.path);
  if (known?.identity === identity) return "replaced";
  const { skillbook } = await readBook(target);
  if (known === undefined) return "replaced";
  adopt(session, known.base, skillbook);
  return "merged";
}

/** `undefined` when there is no such file. */
export async function fileIdentity(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats && identityOf(stats);
}

/** Every save of ours is a new inode; an editor that writes in place changes size or time. */
export function identityOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs].join(":");
}
