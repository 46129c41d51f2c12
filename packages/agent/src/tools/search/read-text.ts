import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { decodeFile } from "../../workspace/file-text.ts";
import { isFileRefused } from "../../workspace/file-refused.ts";
import { openForReading } from "../../workspace/open-handle.ts";
import { SECRET_HEAD_BYTES, secretContentRule } from "../../workspace/path-policy.ts";
import { isHardLink } from "../../workspace/read-file.ts";
import type { MatchWorker } from "./match-worker.ts";

/** Larger files are not searched. Bytes. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

export type SearchedText =
  | { readonly type: "text"; readonly text: string }
  /** It cannot hold what is searched. */
  | { readonly type: "without" }
  | { readonly type: "skipped"; readonly reason: SkipReason };

export type SkipReason = "binary" | "large" | "secret" | "denied" | "linked" | "unreadable";

export interface Hint {
  /** ASCII. */
  readonly literal: string;
  readonly ignoreCase: boolean;
}

/** Why a file is passed by, whatever it holds. */
export function skipReason(path: string, stats: Stats): "large" | "linked" | undefined {
  if (isHardLink(path, stats)) return "linked";
  return stats.size > MAX_FILE_BYTES ? "large" : undefined;
}

/** Reads files that a walk found: ordinary ones in the worker's thread, what is anything else with a closer look. */
export async function readTexts(
  paths: readonly string[],
  hint: Hint | undefined,
  worker: MatchWorker,
): Promise<readonly SearchedText[]> {
  const files = await worker.read({ paths, maxBytes: MAX_FILE_BYTES, ...hint });
  return Promise.all(
    paths.map(async (path, index) => {
      const file = files[index] ?? null;
      if (file === null) return readText(path, hint);
      return file === "without" ? { type: "without" } : textOf(Buffer.from(file.buffer), undefined);
    }),
  );
}

/**
 * Reads a file that a walk found, not through a link that was put in its place.
 * @param hint what its text must hold to be of use
 */
async function readText(path: string, hint: Hint | undefined): Promise<SearchedText> {
  let handle: FileHandle | undefined;
  try {
    handle = await openForReading(path);
    if (handle === undefined) return skipped("unreadable");
    const stats = await handle.stat();
    if (!stats.isFile()) return skipped("unreadable");
    const reason = skipReason(path, stats);
    if (reason !== undefined) return skipped(reason);
    return textOf(await readAll(handle, stats.size), hint);
  } catch (error) {
    if (isFileRefused(error) || error instanceof Error) return skipped("unreadable");
    throw error;
  } finally {
    await handle?.close();
  }
}

/** One call where the file keeps its size: a search reads very many of them. */
async function readAll(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size + 1);
  const { bytesRead } = await handle.read(buffer, 0, size + 1, 0);
  return bytesRead === size ? buffer.subarray(0, size) : handle.readFile();
}

function textOf(bytes: Buffer, hint: Hint | undefined): SearchedText {
  if (bytes.length > MAX_FILE_BYTES) return skipped("large");
  if (hint !== undefined && !couldHold(bytes, hint)) return { type: "without" };
  const decoded = decodeFile(bytes);
  if (decoded.type !== "text") return skipped("binary");
  const isSecret = secretContentRule(decoded.text.slice(0, SECRET_HEAD_BYTES)) !== undefined;
  return isSecret ? skipped("secret") : { type: "text", text: decoded.text };
}

function couldHold(bytes: Buffer, { literal, ignoreCase }: Hint): boolean {
  const isWide =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isWide) return true;
  if (!ignoreCase) return bytes.includes(literal);
  return bytes.toString("latin1").toLowerCase().includes(literal.toLowerCase());
}

function skipped(reason: SkipReason): SearchedText {
  return { type: "skipped", reason };
}
