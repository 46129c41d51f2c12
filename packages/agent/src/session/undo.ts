import { type AcumenError, coreError, errnoOf } from "@acumen/core";
import { agentError } from "../errors.ts";
import type { EventLog } from "./event-log.ts";
import { FileRefused, FileRestoration, type FileTarget } from "./file-restoration.ts";
import type { BeforeImage, OpenedSession } from "./session-store.ts";
import { sha256 } from "./sha256.ts";

export interface Undone {
  /** Absolute paths of files that are as they were. */
  readonly restored: readonly string[];
  /** Absolute paths of files that did not exist before. */
  readonly removed: readonly string[];
}

/**
 * Gives every file that calls of `toSeq` or later touched the content and mode that it had before the first of them; all files or none.
 * Records FILES_RESTORED, and forgets the images that were used. Must not run beside a turn.
 * @throws AGENT_UNDO_REFUSED when there is nothing to undo, or when files are not as the session left them (`details.files`: path and
 * reason of each); CORE_FILE_NOT_WRITABLE; AGENT_STORE_FAILED
 */
export async function undoTo(
  opened: OpenedSession,
  log: EventLog,
  options: { readonly toSeq: number },
): Promise<Undone> {
  const { toSeq } = options;
  const targets = targetsOf(await opened.beforeImages({ fromSeq: toSeq }));
  if (targets.length === 0) {
    throw agentError(
      "AGENT_UNDO_REFUSED",
      `No call of seq ${toSeq} or later changed a file, so there is nothing to undo.`,
      { details: { to_seq: toSeq, files: [] } },
    );
  }
  const files = targets.map((target) => new FileRestoration(target));
  try {
    await checkAll(files);
    for (const file of files) await naming(file, file.stage());
    for (const file of files) await naming(file, file.change());
    const paths = targets.map(({ path }) => path);
    await log.record(
      { type: "FILES_RESTORED", payload: { to_seq: toSeq, paths } },
      { turnId: null, step: 0 },
    );
  } catch (error) {
    await takeBack(files, error);
    throw error;
  }
  for (const file of files) await file.finish();
  // An image that stays does no harm: its file is already what the image says.
  await opened.dropBeforeImages(toSeq).catch(() => undefined);
  return {
    restored: targets.filter(({ content }) => content !== null).map(({ path }) => path),
    removed: targets.filter(({ content }) => content === null).map(({ path }) => path),
  };
}

/** The earliest image of each path says how it shall be; the last one how the session left it. */
function targetsOf(images: readonly BeforeImage[]): FileTarget[] {
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
    const { path, content, mode } = first;
    return [{ path, content, mode, expected }];
  });
}

function hashOf({ content }: BeforeImage): string | null {
  return content === null ? null : sha256(content);
}

/** Looks at each file, so that the answer names all that stand in the way. */
async function checkAll(files: readonly FileRestoration[]): Promise<void> {
  const refused: { path: string; reason: string }[] = [];
  for (const file of files) {
    const { path } = file.target;
    try {
      await file.check();
    } catch (error) {
      const reason =
        error instanceof FileRefused
          ? error.message
          : `it cannot be read (${errnoOf(error) ?? "unknown error"})`;
      refused.push({ path, reason });
    }
  }
  if (refused.length > 0) throw undoRefused(refused);
}

async function naming(file: FileRestoration, work: Promise<void>): Promise<void> {
  const { path } = file.target;
  try {
    await work;
  } catch (cause) {
    if (cause instanceof FileRefused) throw undoRefused([{ path, reason: cause.message }]);
    const errno = errnoOf(cause) ?? "unknown error";
    const reason = errno === "ENOSPC" ? "the disk is full" : errno;
    throw coreError(
      "CORE_FILE_NOT_WRITABLE",
      `${path} cannot be restored (${reason}); no file was changed.`,
      { cause, details: { path, errno } },
    );
  }
}

function undoRefused(files: readonly { path: string; reason: string }[]): AcumenError {
  const named = files.map(({ path, reason }) => `${path}: ${reason}`).join("; ");
  return agentError(
    "AGENT_UNDO_REFUSED",
    `Nothing was undone, because files are not as the session left them. ${named}.`,
    { details: { files } },
  );
}

/** @throws CORE_FILE_NOT_WRITABLE when a file that was changed cannot be put back */
async function takeBack(files: readonly FileRestoration[], cause: unknown): Promise<void> {
  const lost: string[] = [];
  for (const file of files.toReversed()) {
    await file.takeBack().catch(() => lost.push(file.target.path));
  }
  if (lost.length === 0) return;
  throw coreError(
    "CORE_FILE_NOT_WRITABLE",
    `The undo failed half-way, and these files could not be put back: ${lost.join(", ")}. Their former content is beside them in files named .acumen-*.bak.`,
    { cause, details: { paths: lost } },
  );
}
