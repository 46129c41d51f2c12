import { AcumenError, coreError, errnoOf } from "@acumen/core";
import { agentError } from "../errors.ts";
import { fileRefused, isFileRefused } from "../workspace/file-refused.ts";
import type { FileOperations } from "../tools/operations.ts";
import { isUnconfirmed, writeThroughHost } from "../workspace/host-write.ts";
import { sha256 } from "../workspace/sha256.ts";
import { StagedSet } from "../workspace/staged-set.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { EventLog } from "./event-log.ts";
import { lookAt, type RestoredFile } from "./restored-file.ts";
import type { BeforeImage, OpenedSession } from "./session-store.ts";

export interface Undone {
  /** Absolute paths of files that are as they were. */
  readonly restored: readonly string[];
  /** Absolute paths of files that did not exist before. */
  readonly removed: readonly string[];
}

/**
 * Gives every file that calls of `toSeq` or later touched the content and mode that it had before the first of them; all files or none.
 * Records FILES_RESTORED, and forgets the images that were used. Must not run beside a turn.
 * @param options.workspace the session's own: files that are outside of it by now are refused
 * @param options.operations where a host holds files that are not saved: those get their content back through it
 * @throws AGENT_UNDO_REFUSED when there is nothing to undo, or when files are not as the session left them (`details.files`: path and
 * reason of each); CORE_FILE_NOT_WRITABLE; AGENT_STORE_FAILED
 */
export async function undoTo(
  opened: OpenedSession,
  log: EventLog,
  options: {
    readonly toSeq: number;
    readonly workspace: Workspace;
    readonly operations?: FileOperations | undefined;
  },
): Promise<Undone> {
  const { toSeq, workspace, operations } = options;
  const targets = targetsOf(await opened.beforeImages({ fromSeq: toSeq }));
  if (targets.length === 0) throw await nothingToUndo(opened, log, toSeq);
  const files = await lookAtAll(targets, workspace, operations);
  const images = targets.map(({ image }) => image);
  const paths = images.map(({ path }) => path);
  await restore(files, { roots: workspace.roots, operations }, () =>
    log.record(
      { type: "FILES_RESTORED", payload: { to_seq: toSeq, paths } },
      { turnId: null, step: 0 },
    ),
  );
  // An image that stays does no harm: its file is already what the image says.
  await opened.dropBeforeImages(toSeq).catch(() => undefined);
  return {
    restored: images.filter(({ content }) => content !== null).map(({ path }) => path),
    removed: images.filter(({ content }) => content === null).map(({ path }) => path),
  };
}

interface Target {
  /** How the file shall be. */
  readonly image: BeforeImage;
  readonly expected: ReadonlySet<string | null>;
}

/** The earliest image of each path says how it shall be; the last one how the session left it. */
function targetsOf(images: readonly BeforeImage[]): Target[] {
  const ofPath = new Map<string, BeforeImage[]>();
  for (const image of images) {
    const others = ofPath.get(image.path);
    if (others === undefined) ofPath.set(image.path, [image]);
    else others.push(image);
  }
  return [...ofPath.values()].flatMap((all) => {
    const [first] = all;
    const last = all.at(-1);
    if (first === undefined || last === undefined) return [];
    // The image is saved before the write, which may have failed; and an earlier undo may have died half-way.
    const expected = new Set([last.afterHash, hashOf(last), hashOf(first)]);
    return [{ image: first, expected }];
  });
}

function hashOf({ content }: BeforeImage): string | null {
  return content === null ? null : sha256(content);
}

/** Looks at each file, so that the answer names all that stand in the way. */
async function lookAtAll(
  targets: readonly Target[],
  workspace: Workspace,
  operations: FileOperations | undefined,
): Promise<readonly RestoredFile[]> {
  const files: RestoredFile[] = [];
  const refused: { path: string; reason: string }[] = [];
  for (const { image, expected } of targets) {
    try {
      files.push(await lookAt(image, expected, { workspace, operations }));
    } catch (error) {
      const reason = isFileRefused(error)
        ? error.message
        : `it cannot be read (${errnoOf(error) ?? "unknown error"})`;
      refused.push({ path: image.path, reason });
    }
  }
  if (refused.length > 0) throw undoRefused(refused);
  return files;
}

/** Puts all files in place and calls `done`; when anything fails, also that, every file is as before. */
async function restore(
  files: readonly RestoredFile[],
  context: { readonly roots: readonly string[]; readonly operations: FileOperations | undefined },
  done: () => Promise<unknown>,
): Promise<void> {
  const { roots, operations } = context;
  const set = new StagedSet(roots);
  const { signal } = new AbortController();
  let current = "";
  try {
    const staged = [];
    for (const { place, image, disk, differs, held } of files) {
      if (!differs || held !== undefined) continue;
      current = place.path;
      const { content: bytes, mode } = image;
      staged.push(await set.stage(place, { bytes, disk, mode: mode ?? undefined }, signal));
    }
    for (const file of staged) {
      current = file.place.path;
      await set.apply(file);
    }
    for (const file of files) {
      current = file.place.path;
      await giveBack(file, { operations, set, signal });
    }
    await done();
  } catch (error) {
    throw failureOf(error, current, await set.putBack());
  } finally {
    await set.close();
  }
}

/** Gives an editor that holds a file unsaved the text that it had. */
async function giveBack(
  { place, image: { content }, held, differs }: RestoredFile,
  context: {
    readonly operations: FileOperations | undefined;
    readonly set: StagedSet;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  if (!differs || held === undefined || content === null) return;
  const text = Buffer.from(content).toString("utf8");
  if (await writeThroughHost({ place, text, putBack: held }, context)) return;
  throw fileRefused("the editor holds it unsaved and does not take its former text");
}

function failureOf(cause: unknown, path: string, kept: readonly string[]): unknown {
  if (kept.length > 0) {
    return coreError(
      "CORE_FILE_NOT_WRITABLE",
      `The undo failed half-way, and not every file could be put back. Former content is in ${kept.join(", ")}.`,
      { cause, details: { path, paths: kept } },
    );
  }
  if (isUnconfirmed(cause)) return undoUnconfirmed(path);
  if (isFileRefused(cause)) return undoRefused([{ path, reason: cause.message }]);
  const errno = AcumenError.isInstance(cause) ? undefined : errnoOf(cause);
  if (errno === undefined) return cause;
  const reason = errno === "ENOSPC" || errno === "EDQUOT" ? "the disk is full" : errno;
  return coreError(
    "CORE_FILE_NOT_WRITABLE",
    `${path} cannot be restored (${reason}); no file was changed.`,
    { cause, details: { path, errno } },
  );
}

async function nothingToUndo(
  opened: OpenedSession,
  { events }: EventLog,
  toSeq: number,
): Promise<AcumenError> {
  const isEarlier = (await opened.beforeImages()).length > 0;
  const isUndone = events.some(({ type }) => type === "FILES_RESTORED");
  const why = isEarlier
    ? `no call of event ${toSeq} or later changed a file`
    : isUndone
      ? "every change of this session was taken back already"
      : "no file was changed in this session";
  return agentError("AGENT_UNDO_REFUSED", `Nothing to undo: ${why}.`, {
    details: { to_seq: toSeq, files: [] },
  });
}

function undoUnconfirmed(path: string): AcumenError {
  return agentError(
    "AGENT_UNDO_REFUSED",
    `The editor did not say whether it gave ${path} its former text back: look at it there. No other file was changed.`,
    { details: { files: [{ path, reason: "the editor did not answer" }] } },
  );
}

function undoRefused(files: readonly { path: string; reason: string }[]): AcumenError {
  const named = files.map(({ path, reason }) => `${path}: ${reason}`).join("; ");
  return agentError(
    "AGENT_UNDO_REFUSED",
    `Nothing was undone, because files are not as the session left them. ${named}.`,
    { details: { files } },
  );
}
