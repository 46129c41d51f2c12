import { constants, type Stats } from "node:fs";
import { type FileHandle, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { abortError, throwIfAborted } from "./abort.ts";
import { AcumenError, coreError } from "./errors.ts";
import { createId } from "./ids.ts";

/** Looks at an open file before the first byte moves; throws to refuse it (a swapped link, a place outside a root). */
export type HandleCheck = (handle: FileHandle, path: string) => Promise<void>;

export interface WriteOptions {
  /** Permission bits of the new file. Default 0o600. */
  readonly mode?: number;
  readonly signal?: AbortSignal | undefined;
  readonly check?: HandleCheck | undefined;
}

/**
 * Replaces a file in one step: temp file in the same folder, fsync, rename, fsync of the folder. Readers and crashes see
 * the old or the new content, never a mix. A link at `path` itself is replaced, not followed.
 * @throws CORE_FILE_NOT_WRITABLE with `details.errno`; CORE_ABORTED; whatever `check` throws.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const { mode = 0o600, signal, check } = options;
  throwIfAborted(signal);
  const folder = dirname(path);
  // Not the whole name: with the id, a long one would be longer than file systems take.
  const hint = Array.from(basename(path)).slice(0, 40).join("");
  const temp = join(folder, `.${hint}.${createId()}.tmp`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(
      temp,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      mode,
    );
    await check?.(handle, temp);
    await handle.writeFile(data, { ...(signal && { signal }) });
    await handle.sync();
    await handle.close();
    handle = undefined;
    throwIfAborted(signal);
    await rename(temp, path);
    await syncFolder(folder);
  } catch (cause) {
    await handle?.close().catch(() => undefined);
    await unlink(temp).catch(() => undefined);
    if (signal?.aborted) throw abortError(signal);
    throw AcumenError.isInstance(cause) ? cause : notWritable(path, cause);
  }
}

export interface ReadOptions {
  readonly maxBytes: number;
  readonly check?: HandleCheck | undefined;
}

/**
 * Reads a regular file as UTF-8, never more than `maxBytes`; opening a pipe or device does not hang.
 * @throws CORE_FILE_NOT_FOUND, CORE_FILE_UNREADABLE (`details.reason`: not_a_file | unreadable), CORE_FILE_TOO_LARGE; whatever `check` throws.
 */
export async function readTextFile(path: string, options: ReadOptions): Promise<string> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    refuseIrregular(path, stats, options.maxBytes);
    await options.check?.(handle, path);
    // Decoded at once: reading with an encoding decodes chunk by chunk, which takes twice as long on a file of some MB.
    const bytes = await handle.readFile();
    if (bytes.byteLength > options.maxBytes)
      throw tooLarge(path, bytes.byteLength, options.maxBytes);
    return bytes.toString("utf8");
  } catch (cause) {
    throw AcumenError.isInstance(cause) ? cause : unreadable(path, cause);
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

/**
 * Creates a folder and its missing parents.
 * @param options.mode permission bits of the folders that are made; default 0o777 less the umask
 * @throws CORE_FILE_NOT_WRITABLE
 */
export async function ensureFolder(
  path: string,
  options: { readonly mode?: number } = {},
): Promise<void> {
  try {
    await makeFolders(path, options.mode ?? 0o777);
  } catch (cause) {
    throw notWritable(path, cause);
  }
}

/** Step by step: `mkdir` with `recursive` never ends below /proc, and so blocks a thread of the pool for good. */
async function makeFolders(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST" && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (errno !== "ENOENT" || parent === path) throw error;
    await makeFolders(parent, mode);
    await mkdir(path, mode).catch((again: unknown) => {
      // Another process may have been faster.
      if (errnoOf(again) !== "EEXIST") throw again;
    });
  }
}

/** The `code` of a Node system error (ENOENT, ENOSPC, …), if it is one. */
export function errnoOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  // Some file systems refuse fsync on a folder; the rename itself has happened by now.
  await handle?.sync().catch(() => undefined);
  await handle?.close().catch(() => undefined);
}

function refuseIrregular(path: string, stats: Stats, maxBytes: number): void {
  if (!stats.isFile()) {
    throw coreError("CORE_FILE_UNREADABLE", `${path} is not a regular file.`, {
      details: { path, reason: "not_a_file" },
    });
  }
  if (stats.size > maxBytes) throw tooLarge(path, stats.size, maxBytes);
}

function tooLarge(path: string, bytes: number, maxBytes: number): AcumenError {
  return coreError(
    "CORE_FILE_TOO_LARGE",
    `${path} has ${bytes} bytes; at most ${maxBytes} are read.`,
    {
      details: { path, bytes, max_bytes: maxBytes },
    },
  );
}

function unreadable(path: string, cause: unknown): AcumenError {
  const errno = errnoOf(cause);
  if (errno === "ENOENT" || errno === "ENOTDIR") {
    return coreError("CORE_FILE_NOT_FOUND", `There is no file ${path}.`, {
      cause,
      details: { path },
    });
  }
  const reason = errno === "EISDIR" || errno === "ENXIO" ? "not_a_file" : "unreadable";
  return coreError(
    "CORE_FILE_UNREADABLE",
    `${path} cannot be read (${errno ?? "unknown error"}).`,
    {
      cause,
      details: { path, reason, errno: errno ?? null },
    },
  );
}

function notWritable(path: string, cause: unknown): AcumenError {
  const errno = errnoOf(cause) ?? "unknown error";
  const hint = errno === "ENOSPC" ? "the disk is full" : errno;
  return coreError(
    "CORE_FILE_NOT_WRITABLE",
    `${path} cannot be written (${hint}); an earlier file of that name is untouched.`,
    {
      cause,
      details: { path, errno },
    },
  );
}
