import { errnoOf, throwIfAborted } from "@acumen/core";
import { constants } from "node:fs";
import { open } from "node:fs/promises";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Larger files are not edited. Bytes. */
const MAX_BYTES = 10 * 1024 * 1024;
const MARK = "\uFEFF";
const LONE_SURROGATE = /\p{Cs}/u;

/** `other`: what is there is no UTF-8 text of a size that can be edited, so no editor is asked for it. */
type DiskText =
  | { readonly type: "none" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "other" };

/** @param path absolute real path that passed policy; rejects with the abort's error */
export async function diskText(path: string, signal: AbortSignal): Promise<DiskText> {
  throwIfAborted(signal);
  try {
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_BYTES) return { type: "other" };
    const text = utf8Of(await file.readFile({ signal }));
    return text === undefined ? { type: "other" } : { type: "text", text };
  } catch (error) {
    throwIfAborted(signal);
    return { type: errnoOf(error) === "ENOENT" ? "none" : "other" };
  }
}

/** What the protocol can carry and an editor can show. */
export function isPlainText(text: string): boolean {
  return !text.includes("\0") && !LONE_SURROGATE.test(text);
}

/**
 * An editor's text as the file would have it: editors keep byte order marks and line ends to themselves.
 * @returns undefined: it is what the disk has, so the disk is to be read
 */
export function asStored(held: string, disk: DiskText): string | undefined {
  // Some hosts answer with nothing where there is no file.
  if (disk.type !== "text") return held === "" ? undefined : held;
  if (comparable(held) === comparable(disk.text)) return undefined;
  const bare = withoutMark(held);
  const ended = isCrlf(disk.text) && !bare.includes("\r") ? bare.replaceAll("\n", "\r\n") : bare;
  return hasMark(disk.text) || hasMark(held) ? MARK + ended : ended;
}

export function hasMark(text: string): boolean {
  return text.startsWith(MARK);
}

export function withoutMark(text: string): string {
  return hasMark(text) ? text.slice(1) : text;
}

/** The end of the last line is not told by every editor. */
function comparable(text: string): string {
  return withoutMark(text).replaceAll("\r\n", "\n").replace(/\n$/, "");
}

function isCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}

function utf8Of(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
