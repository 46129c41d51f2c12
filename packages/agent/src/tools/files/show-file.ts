import { lstat } from "node:fs/promises";
import type { SeenFile } from "../../events/event-payloads.ts";
import { decodeFile, lineEndingOf, storageNotes, toLf } from "../../workspace/file-text.ts";
import { MAX_WHOLE_BYTES, readWhole } from "../../workspace/read-file.ts";
import type { Place } from "../../workspace/workspace.ts";
import type { FileToolDeps } from "./file-tool-deps.ts";
import { type LineRange, LineWindow } from "./line-window.ts";
import { readHugeRange } from "./read-huge-range.ts";

/** As Base64 an image of this size has 5 MB, which is what providers take. */
export const MAX_IMAGE_BYTES = 3.75 * 1_024 * 1_024;

export interface ShownText {
  readonly type: "text";
  readonly window: LineWindow;
  /** Lines of the file; undefined: nobody counted them. */
  readonly total: number | undefined;
  /** How the file is stored, where that is worth saying. */
  readonly notes: readonly string[];
}

export interface ShownImage {
  readonly type: "image";
  readonly mimeType: string;
  readonly bytes: number;
  /** Base64; undefined: too large. */
  readonly data: string | undefined;
}

export type ShownFile =
  | ShownText
  | ShownImage
  | { readonly type: "binary"; readonly what: string; readonly bytes: number };

export interface Shown {
  readonly file: ShownFile;
  /** Undefined: the file is too large to be changed, so nobody needs to know. */
  readonly seen: SeenFile | undefined;
}

/**
 * What a model gets to see of a file, and notes that it saw it.
 * @returns undefined when there is none
 * @throws FileRefused
 */
export async function showFile(
  place: Place,
  range: LineRange,
  { operations, reads }: Pick<FileToolDeps, "operations" | "reads">,
  signal: AbortSignal,
): Promise<Shown | undefined> {
  const held = await operations?.readBuffer?.(place.path, signal);
  if (held === undefined && (await sizeOf(place)) > MAX_WHOLE_BYTES) {
    const part = await readHugeRange(place, range, signal);
    return { file: { type: "text", total: undefined, ...part }, seen: undefined };
  }
  const whole = await readWhole(place, { signal, held });
  if (whole === undefined) return undefined;
  const seen = { path: place.path, sha256: whole.hash };
  reads.record(seen);
  return { file: shownForm(whole.bytes, range), seen };
}

function shownForm(content: Uint8Array, range: LineRange): ShownFile {
  const bytes = content.byteLength;
  const decoded = decodeFile(content);
  if (decoded.type === "binary") return { ...decoded, bytes };
  if (decoded.type === "image") {
    const data = bytes > MAX_IMAGE_BYTES ? undefined : Buffer.from(content).toString("base64");
    return { ...decoded, bytes, data };
  }
  const window = new LineWindow(range);
  const total = fill(window, toLf(decoded.text));
  return { type: "text", window, total, notes: storageNotes(decoded, lineEndingOf(decoded.text)) };
}

/** Bytes; 0 when it is not there or no file, which reading then tells. */
async function sizeOf({ path }: Place): Promise<number> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true ? stats.size : 0;
}

/** Returns the number of lines. */
function fill(window: LineWindow, text: string): number {
  let number = 0;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at);
    const stop = end === -1 ? text.length : end;
    number += 1;
    if (window.wants(number)) window.take(number, text.slice(at, stop), stop - at, end !== -1);
    at = stop + 1;
  }
  return number;
}
