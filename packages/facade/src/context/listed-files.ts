import { skippedFolder } from "./skipped-folders.ts";
import { wellFormed } from "./well-formed.ts";
import type { DroppedFragment } from "../services/context-service.ts";

/** What a project has, before anything is read. */
export interface ListedFiles {
  /** Relative, with `/`; sorted. */
  readonly paths: readonly string[];
  /** Ignored files, and folders with `/` at their end, in which everything is ignored. */
  readonly ignored: readonly string[];
  /** 1 for what is being worked on, less the longer ago it was committed; absent: nobody knows. */
  readonly recency: ReadonlyMap<string, number>;
  readonly warnings: readonly string[];
}

export function excluded(uri: string): DroppedFragment {
  return { uri, reason: "excluded", tokens: null };
}

/** Says of a path why no context has it, as the end of a sentence about it; undefined: nothing speaks against it. */
export function outsideOf({ paths, ignored }: ListedFiles): (path: string) => string | undefined {
  const known = new Set(ignored);
  const listed = new Set(paths);
  return (path) => {
    const folder = skippedFolder(path);
    if (folder !== undefined) {
      return `lies in ${wellFormed(folder)}, which no context looks into`;
    }
    if (listed.has(path)) return undefined;
    const names = path.split("/");
    const isIgnored =
      known.has(path) ||
      names.some((_, index) => index > 0 && known.has(`${names.slice(0, index).join("/")}/`));
    return isIgnored ? "is ignored (.gitignore, or what else git goes by)" : undefined;
  };
}
