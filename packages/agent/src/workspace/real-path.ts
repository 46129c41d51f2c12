import { errnoOf } from "@acumen/core";
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";

/** True when `path` is `folder` or lies below it; both absolute and real. Compared by components. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

export type RealPath =
  | { readonly ok: true; readonly path: string; readonly exists: boolean }
  | { readonly ok: false; readonly reason: string };

/** The real path of the deepest part that exists, with the missing rest appended. */
export async function realPathOf(path: string): Promise<RealPath> {
  try {
    return { ok: true, path: await realpath(path), exists: true };
  } catch (cause) {
    const errno = errnoOf(cause);
    if (errno === "ENOTDIR") return { ok: false, reason: "has a file among its folders" };
    if (errno === "ELOOP") return { ok: false, reason: "is a circle of links" };
    if (errno !== "ENOENT")
      return { ok: false, reason: `cannot be reached (${errno ?? "unknown error"})` };
    // Where a dangling link leads to nothing yet, making its target would lead anywhere.
    if (await isLink(path)) return { ok: false, reason: "is a link that leads to nothing" };
    const parent = dirname(path);
    if (parent === path) return { ok: false, reason: "does not exist" };
    const real = await realPathOf(parent);
    return real.ok ? { ok: true, path: join(real.path, basename(path)), exists: false } : real;
  }
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}
