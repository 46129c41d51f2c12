import { throwIfAborted } from "@acumen/core";
import type { BigIntStats, Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { FileOperations } from "../tools/operations.ts";
import { decodeText } from "./file-text.ts";
import { fileRefused } from "./file-refused.ts";
import { openForReading } from "./open-handle.ts";
import { SECRET_HEAD_BYTES, secretContentRule } from "./path-policy.ts";
import { sha256 } from "./sha256.ts";
import { type Place, secretMessage } from "./workspace.ts";

/** Larger files are read by ranges and are not edited. Bytes. */
export const MAX_WHOLE_BYTES = 10 * 1024 * 1024;

/** A file as it is at one moment: what the host's editor holds of it, else what the disk holds. */
export interface FileSnapshot {
  readonly bytes: Uint8Array;
  readonly hash: string;
  /** Of the file on the disk; undefined when only the host has it. */
  readonly disk: DiskFacts | undefined;
}

export interface DiskFacts {
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Differs when the file was changed or replaced. */
  readonly stamp: string;
}

export interface ReadWhole {
  readonly signal: AbortSignal;
  readonly operations?: FileOperations | undefined;
  /** What the host was found to have, when it was asked already. */
  readonly held?: string | undefined;
  /** The file is to be changed: other rules hold for hard links. */
  readonly forChange?: boolean;
}

/**
 * Reads a whole file, the host's buffer first.
 * @returns undefined when there is none
 * @throws FileRefused: no regular file, too large, a secret, swapped while it was opened
 */
export async function readWhole(
  place: Place,
  { signal, operations, held: known, forChange = false }: ReadWhole,
): Promise<FileSnapshot | undefined> {
  throwIfAborted(signal);
  const handle = await openForReading(place.path);
  try {
    const stats = await handle?.stat({ bigint: true });
    if (stats !== undefined) refuseIrregular(place, stats, forChange);
    const held = known ?? (await operations?.readBuffer?.(place.path, signal));
    const bytes =
      held === undefined
        ? handle && (await readAll(handle, place, Number(stats?.size ?? 0n), signal))
        : Buffer.from(held, "utf8");
    if (bytes === undefined) return undefined;
    if (bytes.byteLength > MAX_WHOLE_BYTES) throw tooLarge(place, bytes.byteLength);
    refuseSecret(place, bytes);
    return { bytes, hash: sha256(bytes), disk: stats && factsOf(stats) };
  } finally {
    await handle?.close();
  }
}

export function factsOf(stats: BigIntStats): DiskFacts {
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return {
    mode: Number(stats.mode & 0o777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    stamp: [dev, ino, size, mtimeNs, ctimeNs].join(":"),
  };
}

/** Package managers link these from their stores; reading there tells nothing of other places. */
const LINKED_FOLDERS = /[/\\](?:node_modules|site-packages)[/\\]/;

/**
 * The file has more names, and one of them may lie outside of the workspace or be that of a secret.
 * @param path absolute real path
 */
export function isHardLink(path: string, { nlink }: Pick<BigIntStats | Stats, "nlink">): boolean {
  return nlink > 1 && !LINKED_FOLDERS.test(path);
}

/** @throws FileRefused for what is no file of this name alone */
export function refuseIrregular(place: Place, stats: BigIntStats, forChange: boolean): void {
  const { shown } = place;
  if (stats.isDirectory())
    throw fileRefused(`${shown} is a folder; use glob to see what is in it.`);
  if (!stats.isFile())
    throw fileRefused(`${shown} is a pipe, socket or device, not a regular file.`);
  if (isHardLink(place.path, stats) || (forChange && stats.nlink > 1n)) {
    throw fileRefused(
      `${shown} has ${stats.nlink} hard links: it may be a file outside of the workspace under another name. Copy it to use it.`,
    );
  }
  if (forChange && (stats.mode & 0o222n) === 0n)
    throw fileRefused(
      `${shown} is read-only; change its permissions first if it is to be changed.`,
    );
}

/** @throws FileRefused */
export function refuseSecret(place: Place, bytes: Uint8Array): void {
  const head = bytes.subarray(0, SECRET_HEAD_BYTES);
  const text = decodeText(head, { partial: true })?.text ?? Buffer.from(head).toString("latin1");
  const rule = secretContentRule(text);
  if (rule !== undefined) throw fileRefused(secretMessage(place.shown, rule));
}

function tooLarge(place: Place, bytes: number): Error {
  const limit = `${MAX_WHOLE_BYTES / 1024 / 1024} MB`;
  return fileRefused(
    `${place.shown} has ${bytes} bytes; files of more than ${limit} are read in ranges (start_line, end_line) and changed with a command only.`,
  );
}

async function readAll(
  handle: FileHandle,
  place: Place,
  size: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (size > MAX_WHOLE_BYTES) throw tooLarge(place, size);
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    throwIfAborted(signal);
    const { bytesRead, buffer } = await handle.read({
      buffer: Buffer.alloc(65_536),
      position: total,
    });
    if (bytesRead === 0) return Buffer.concat(chunks, total);
    total += bytesRead;
    if (total > MAX_WHOLE_BYTES) throw tooLarge(place, total);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}
