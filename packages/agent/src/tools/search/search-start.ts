import { stat } from "node:fs/promises";
import type { Workspace } from "../../workspace/workspace.ts";
import type { CallPreview } from "../tool.ts";

/** For one call. */
export const SEARCH_TIMEOUT_MS = 60_000;
/** What a model sees of one search, in bytes. */
export const SHOWN_BYTES = 50 * 1024;

export type SearchStart =
  | { readonly ok: true; readonly path: string; readonly shown: string; readonly isFolder: boolean }
  | { readonly ok: false; readonly message: string };

/** Where a search begins, inside the boundaries. */
export async function searchStart(workspace: Workspace, path: string): Promise<SearchStart> {
  const located = await workspace.locate(path, "read");
  if (!located.ok) return { ok: false, message: located.message };
  const stats = await stat(located.path).catch(() => undefined);
  if (stats === undefined) return { ok: false, message: `There is no file or folder ${path}.` };
  return { ok: true, path: located.path, shown: located.shown, isFolder: stats.isDirectory() };
}

export function searchPreview(title: string, path: string): CallPreview {
  return {
    title: title.length > 120 ? `${title.slice(0, 119)}…` : title,
    risk: "read",
    subject: { type: "files", access: "read", paths: [path] },
    locations: [],
    diff: [],
  };
}

export function tookTooLong(what: string): string {
  return `The search was ended after ${SEARCH_TIMEOUT_MS / 1000} s: the ${what} takes too long to match, or there is too much to search. Use a simpler ${what} or a narrower path.`;
}

export async function* chunksOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let chunk: T[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
