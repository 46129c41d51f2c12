import type { DroppedFragment } from "../services/context-service.ts";

/** What a project has, before anything is read. */
export interface ListedFiles {
  /** Relative, with `/`; sorted. */
  readonly paths: readonly string[];
  /** Ignored files and folders. */
  readonly ignored: readonly string[];
  /** 1 for what is being worked on, less the longer ago it was committed; absent: nobody knows. */
  readonly recency: ReadonlyMap<string, number>;
  readonly warnings: readonly string[];
}

export function excluded(uri: string): DroppedFragment {
  return { uri, reason: "excluded", tokens: null };
}
