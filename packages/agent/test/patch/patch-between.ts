import { diffArrays } from "diff";
import type { FilePatch, Hunk, HunkLine } from "../../src/patch/patch.ts";

/** Marks a last line without a line end; no test text holds it. */
const OPEN = "\uE000";

interface Group {
  /** Index of the first old line. */
  readonly at: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** A patch of one file that turns one text into another, both with LF; undefined when they are equal. */
export function updateBetween(path: string, before: string, after: string): FilePatch | undefined {
  const old = tokensOf(before);
  const groups = groupsOf(old, tokensOf(after));
  if (groups.length === 0) return undefined;
  const hunks = hunksOf(old, groups) ?? [hunkOf(old, groups, 0, old.length)];
  return { type: "update", path, hunks };
}

export function addOf(path: string, text: string): FilePatch {
  const tokens = tokensOf(text);
  return {
    type: "add",
    path,
    lines: tokens.map(plain),
    finalNewline: tokens.at(-1)?.endsWith(OPEN) !== true,
  };
}

function tokensOf(text: string): readonly string[] {
  if (text === "") return [];
  return text.endsWith("\n") ? text.slice(0, -1).split("\n") : `${text}${OPEN}`.split("\n");
}

function plain(token: string): string {
  return token.endsWith(OPEN) ? token.slice(0, -1) : token;
}

function groupsOf(old: readonly string[], next: readonly string[]): readonly Group[] {
  const groups: Group[] = [];
  let at = 0;
  let open: { at: number; removed: string[]; added: string[] } | undefined;
  for (const { value, added, removed } of diffArrays([...old], [...next])) {
    if (!added && !removed) {
      open = undefined;
      at += value.length;
      continue;
    }
    if (open === undefined) groups.push((open = { at, removed: [], added: [] }));
    (added ? open.added : open.removed).push(...value);
    if (removed) at += value.length;
  }
  return groups;
}

/** One hunk per group, each with as little context as makes it stand at one place; undefined when that cannot be. */
function hunksOf(old: readonly string[], groups: readonly Group[]): readonly Hunk[] | undefined {
  const hunks: Hunk[] = [];
  let cursor = 0;
  for (const [index, group] of groups.entries()) {
    const end = group.at + group.removed.length;
    const limit = groups[index + 1]?.at ?? old.length;
    let found = false;
    for (let context = 0; !found && context <= old.length; context += 1) {
      const from = Math.max(cursor, group.at - context);
      const to = Math.min(limit, end + context);
      if (!standsOnce(old, cursor, from, to)) continue;
      hunks.push(hunkOf(old, [group], from, to));
      cursor = to;
      found = true;
    }
    if (!found) return undefined;
  }
  return hunks;
}

function standsOnce(old: readonly string[], cursor: number, from: number, to: number): boolean {
  if (from === to) return false;
  const block = old.slice(from, to).map(plain);
  let count = 0;
  for (let at = cursor; at + block.length <= old.length; at += 1)
    if (block.every((line, index) => plain(old[at + index] ?? "") === line)) count += 1;
  return count === 1;
}

function hunkOf(old: readonly string[], groups: readonly Group[], from: number, to: number): Hunk {
  const lines: HunkLine[] = [];
  let at = from;
  const keep = (end: number): void => {
    for (; at < end; at += 1) lines.push({ kind: "context", text: plain(old[at] ?? "") });
  };
  for (const group of groups) {
    keep(group.at);
    for (const text of group.removed) lines.push({ kind: "remove", text: plain(text) });
    for (const text of group.added) lines.push({ kind: "add", text: plain(text) });
    at += group.removed.length;
  }
  keep(to);
  const last = groups.at(-1);
  const opened = last?.added.at(-1)?.endsWith(OPEN) === true;
  const closed = !opened && last?.removed.at(-1)?.endsWith(OPEN) === true;
  const finalNewline = opened ? false : closed ? true : undefined;
  return {
    headings: [],
    lines,
    endOfFile: finalNewline !== undefined || (from === 0 && to === old.length),
    ...(finalNewline !== undefined && { finalNewline }),
  };
}
