import { createTwoFilesPatch } from "diff";
import { visibleLine, visibleText } from "../text/visible-text.ts";
import type { FileImage } from "./folder-image.ts";

export interface FileChange {
  /** Below the workspace, such as `.acumen/workspace.json`; safe to show. */
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  /** Unified, cut when long, safe to show; absent where a text was not kept. */
  readonly diff?: string;
}

const MAX_DIFF_CHARS = 4_000;
const MAX_EDITS = 1_000;

/** What changed between two moments, sorted by path. */
export function fileChanges(
  before: readonly FileImage[],
  after: readonly FileImage[],
): readonly FileChange[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Map(after.map((file) => [file.path, file]));
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  return paths.flatMap((path) => {
    const was = old.get(path);
    const is = now.get(path);
    if (was?.sha256 === is?.sha256) return [];
    const diff = textDiff(path, was ?? { text: "" }, is ?? { text: "" });
    return [
      {
        path: visibleLine(`.acumen/${path}`),
        change: was === undefined ? "added" : is === undefined ? "removed" : "changed",
        ...(diff !== undefined && { diff }),
      } as const,
    ];
  });
}

function textDiff(
  path: string,
  { text: old }: Pick<FileImage, "text">,
  { text: now }: Pick<FileImage, "text">,
): string | undefined {
  if (old === undefined || now === undefined) return undefined;
  const name = `.acumen/${path}`;
  const patch = createTwoFilesPatch(name, name, old, now, "", "", {
    context: 2,
    maxEditLength: MAX_EDITS,
  });
  if (patch === undefined) return undefined;
  const shown = visibleText(patch);
  return shown.length > MAX_DIFF_CHARS ? `${shown.slice(0, MAX_DIFF_CHARS)}\n[…]\n` : shown;
}
