import { visibleLine, visibleText } from "../text/visible-text.ts";
import type { FileImage } from "./folder-image.ts";

/** A file below `.acumen`, as it is shown before it is trusted. */
export interface FolderFile {
  /** Below the workspace, such as `.acumen/workspace.json`; safe to show. */
  readonly path: string;
  /** Safe to show, cut when long; absent for large files and for those that are no text. */
  readonly text?: string;
}

const MAX_TEXT_CHARS = 4_000;

export function folderContents(files: readonly FileImage[]): readonly FolderFile[] {
  return files.map(({ path, text }) => ({
    path: visibleLine(`.acumen/${path}`),
    ...(text !== undefined && { text: bounded(visibleText(text)) }),
  }));
}

function bounded(text: string): string {
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}\n[…]\n` : text;
}
