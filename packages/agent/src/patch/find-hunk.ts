import { nearestLines } from "./nearest-lines.ts";
import type { Hunk } from "./patch.ts";

export type FoundHunk =
  | { readonly ok: true; readonly at: number }
  | { readonly ok: false; readonly message: string };

interface Region {
  /** Where the search begins. */
  readonly from: number;
  /** End of what belongs to the last heading; a match before it is preferred to one behind. */
  readonly scope: number;
  /** Index of the line of the last heading. */
  readonly heading?: number;
}

/**
 * The line at which the lines of a hunk that are there before it (context and removed) stand. They must stand at one
 * place only, counted from where the hunk before ended; headings narrow that to what they head.
 * @param cursor index of the first line behind the hunk before
 */
export function findHunk(lines: readonly string[], hunk: Hunk, cursor: number): FoundHunk {
  const narrowed = narrow(lines, hunk.headings, cursor);
  if (typeof narrowed === "string") return { ok: false, message: narrowed };
  const old = hunk.lines.flatMap(({ kind, text }) => (kind === "add" ? [] : [text]));
  if (old.length === 0) return placeOfInsertion(lines, hunk, narrowed);
  if (hunk.endOfFile) {
    const at = lines.length - old.length;
    if (at >= narrowed.from && matches(lines, old, at)) return { ok: true, at };
    return missing(lines, old, Math.max(narrowed.from, 0), " at the end of the file");
  }
  const places = placesOf(lines, old, narrowed.from);
  const inside = places.filter((at) => at + old.length <= narrowed.scope);
  const [only, second] = inside.length > 0 ? inside : places;
  if (only !== undefined && second === undefined) return { ok: true, at: only };
  return only === undefined
    ? missing(lines, old, narrowed.from, "")
    : ambiguous("its lines stand", inside.length > 0 ? inside : places);
}

function placeOfInsertion(
  lines: readonly string[],
  { endOfFile }: Hunk,
  { heading, from }: Region,
): FoundHunk {
  if (endOfFile || lines.length === 0) return { ok: true, at: lines.length };
  if (heading !== undefined) return { ok: true, at: Math.max(heading + 1, from) };
  return {
    ok: false,
    message:
      'it only adds lines and does not say where; give lines around them, an "@@ heading", or "*** End of File".',
  };
}

function narrow(
  lines: readonly string[],
  headings: readonly string[],
  cursor: number,
): Region | string {
  let region: Region = { from: cursor, scope: lines.length };
  for (const heading of headings) {
    const places = headingPlaces(lines, heading, region.from);
    const inside = places.filter((at) => at < region.scope);
    const preferred = inside.length > 0 ? inside : places;
    const name = `its heading ${JSON.stringify(heading)}`;
    if (preferred.length > 1) return ambiguous(`${name} stands`, preferred).message;
    // What heads this hunk may head the one before, too, and so stand above it.
    const [at = headingPlaces(lines, heading, 0).findLast((place) => place < region.from)] =
      preferred;
    if (at === undefined)
      return `${name} is not in the file. ${nearestLines(lines.join("\n"), heading)}`;
    // The heading itself may be repeated as the first line of the hunk.
    region = { from: Math.max(at, cursor), scope: scopeEnd(lines, at), heading: at };
  }
  return region;
}

/** A heading is compared without the space around it, and may be the beginning of a long line. */
function headingPlaces(lines: readonly string[], heading: string, from: number): readonly number[] {
  const wanted = heading.trim();
  const equal: number[] = [];
  const begun: number[] = [];
  for (let at = from; at < lines.length; at += 1) {
    const line = (lines[at] ?? "").trim();
    if (line === wanted) equal.push(at);
    else if (line.startsWith(wanted)) begun.push(at);
  }
  return equal.length > 0 ? equal : begun;
}

/** Lines that continue or close a block although they stand no deeper than its heading. */
const CONTINUES = /^(?:[{}()[\]]|end\b|else\b|elif\b|except\b|finally\b|catch\b|rescue\b|ensure\b)/;

/** Index behind the lines that belong to a heading: deeper ones; in Markdown those up to the next heading. */
function scopeEnd(lines: readonly string[], heading: number): number {
  const title = lines[heading] ?? "";
  const depth = depthOf(title);
  const markdown = title.startsWith("#");
  for (let at = heading + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (markdown ? line.startsWith("#") : line.trim() !== "" && endsScope(line, depth)) return at;
  }
  return lines.length;
}

function endsScope(line: string, depth: number): boolean {
  return depthOf(line) <= depth && !CONTINUES.test(line.trimStart());
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length;
}

function placesOf(lines: readonly string[], old: readonly string[], from: number): number[] {
  const places: number[] = [];
  for (let at = from; at + old.length <= lines.length; at += 1)
    if (matches(lines, old, at)) places.push(at);
  return places;
}

function matches(lines: readonly string[], old: readonly string[], at: number): boolean {
  return old.every((line, index) => lines[at + index] === line);
}

function ambiguous(what: string, places: readonly number[]): { ok: false; message: string } {
  const shown = places.slice(0, 5).map((at) => at + 1);
  const more = places.length > shown.length ? " …" : "";
  return {
    ok: false,
    message: `${what} at ${places.length} places (lines ${shown.join(", ")}${more}); give more lines around the change, or an "@@ heading".`,
  };
}

function missing(
  lines: readonly string[],
  old: readonly string[],
  from: number,
  where: string,
): FoundHunk {
  const [earlier] = placesOf(lines, old, 0);
  if (earlier !== undefined) {
    const place = where === "" ? `before line ${from + 1}, where the search begins` : `not${where}`;
    return {
      ok: false,
      message: `its lines stand at line ${earlier + 1}, ${place}; hunks follow each other from top to bottom.`,
    };
  }
  const near = nearestLines(lines.join("\n"), old.join("\n"), from);
  return { ok: false, message: `its lines are not in the file${where || after(from)}. ${near}` };
}

function after(from: number): string {
  return from === 0 ? "" : ` from line ${from + 1} on`;
}
