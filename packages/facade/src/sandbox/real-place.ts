import { realpathSync } from "node:fs";
import { basename, dirname, join, parse, resolve, sep } from "node:path";

/** Where a path leads through all links, also when its end is not there yet. */
export function realPlace(path: string): string {
  const absolute = resolve(path);
  const real = realOf(absolute);
  if (real !== undefined) return real;
  const parent = dirname(absolute);
  return parent === absolute ? absolute : join(realPlace(parent), basename(absolute));
}

/** Where a path leads for whoever sees these real folders empty: links within them are not there to be followed. */
export function placeBehind(path: string, covers: readonly string[]): string {
  const { root } = parse(resolve(path));
  const names = resolve(path).slice(root.length).split(sep);
  let place = root;
  for (const name of names) {
    const next = join(place, name);
    place = covers.some((cover) => isWithin(place, cover)) ? next : (realOf(next) ?? next);
  }
  return place;
}

/** Also when it is the folder itself. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Undefined: nothing is there that can be reached. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
