import { AcumenError, coreError, errnoOf } from "@acumen/core";
import { agentError } from "../errors.ts";
import { isFileRefused } from "../workspace/file-refused.ts";
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
 * @throws AGENT_UNDO_REFUSED when there is nothing to undo, or when files are not as the session left them (`details.files`: path and
 * reason of each); CORE_FILE_NOT_WRITABLE; AGENT_STORE_FAILED
 */
export async function undoTo(
  opened: OpenedSession,
  log: EventLog,
  options: { readonly toSeq: number; readonly workspace: Workspace },
): Promise<Undone> {
  const { toSeq, workspace } = options;
  const targets = targetsOf(await opened.beforeImages({ fromSeq: toSeq }));
  if (targets.length === 0) throw await nothingToUndo(opened, log, toSeq);
  const files = await lookAtAll(targets, workspace);
  const images = targets.map(({ image }) => image);
  const paths = images.map(({ path }) => path);
  await restore(files, workspace.roots, () =>
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
): Promise<readonly RestoredFile[]> {
  const files: RestoredFile[] = [];
  const refused: { path: string; reason: string }[] = [];
  for (const { image, expected } of targets) {
    try {
      files.push(await lookAt(image, expected, workspace));
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
  roots: readonly string[],
  done: () => Promise<unknown>,
): Promise<void> {
  const set = new StagedSet(roots);
  const { signal } = new AbortController();
  let current = "";
  try {
    const staged = [];
    for (const { place, image, disk, differs } of files) {
      if (!differs) continue;
      current = place.path;
      const { content: bytes, mode } = image;
      staged.push(await set.stage(place, { bytes, disk, mode: mode ?? undefined }, signal));
    }
    for (const file of staged) {
      current = file.place.path;
      await set.apply(file);
    }
    await done();
  } catch (error) {
    throw failureOf(error, current, await set.putBack());
  } finally {
    await set.close();
  }
}

function failureOf(cause: unknown, path: string, kept: readonly string[]): unknown {
  if (kept.length > 0) {
    return coreError(
      "CORE_FILE_NOT_WRITABLE",
      `The undo failed half-way, and not every file could be put back. Former content is in ${kept.join(", ")}.`,
      { cause, details: { path, paths: kept } },
    );
  }
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

function undoRefused(files: readonly { path: string; reason: string }[]): AcumenError {
  const named = files.map(({ path, reason }) => `${path}: ${reason}`).join("; ");
  return agentError(
    "AGENT_UNDO_REFUSED",
    `Nothing was undone, because files are not as the session left them. ${named}.`,
    { details: { files } },
  );
}
