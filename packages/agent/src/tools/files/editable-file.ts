import { decodeFile, encodeText, type FileText } from "../../workspace/file-text.ts";
import { fileRefused } from "../../workspace/file-refused.ts";
import { type FileSnapshot, readWhole } from "../../workspace/read-file.ts";
import type { Place } from "../../workspace/workspace.ts";
import type { FileToolDeps } from "./file-tool-deps.ts";

/** A text file that is to be changed, as it is now. */
export interface EditableFile {
  readonly base: FileSnapshot;
  readonly file: FileText;
}

/**
 * @returns undefined when there is no file
 * @throws FileRefused: no text, read-only, changed since the model read it
 */
export async function openToChange(
  place: Place,
  deps: FileToolDeps,
  signal: AbortSignal,
): Promise<EditableFile | undefined> {
  const base = await snapshotToChange(place, deps, signal);
  if (base === undefined) return undefined;
  const file = decodeFile(base.bytes);
  if (file.type === "text") return { base, file };
  const what = file.type === "image" ? `an image (${file.mimeType})` : file.what;
  throw fileRefused(`${place.shown} is ${what} of ${base.bytes.byteLength} bytes, no text.`);
}

/** The same for a file whose kind does not matter. */
export async function snapshotToChange(
  place: Place,
  { operations, reads }: FileToolDeps,
  signal: AbortSignal,
): Promise<FileSnapshot | undefined> {
  const base = await readWhole(place, { signal, operations, forChange: true });
  // Of a file that is gone nothing can be lost.
  if (base !== undefined && reads.isStale(place.path, base.hash)) {
    throw fileRefused(
      `${place.shown} was changed by somebody else since it was read; read it again before changing it.`,
    );
  }
  return base;
}

/** @throws FileRefused when the file's encoding has not all characters */
export function bytesOf(place: Place, file: FileText): Uint8Array {
  const bytes = encodeText(file);
  if (bytes !== undefined) return bytes;
  const reason =
    file.encoding === "utf-8"
      ? "the text holds half of a surrogate pair, which UTF-8 cannot store"
      : `it is stored as ${file.encoding}, which has not all characters of the new text`;
  throw fileRefused(`${place.shown} cannot be written: ${reason}.`);
}

/** What a host gets to write: the whole text with the mark that the file begins with. */
export function hostText({ bom, text }: FileText): string {
  return bom ? `\uFEFF${text}` : text;
}
