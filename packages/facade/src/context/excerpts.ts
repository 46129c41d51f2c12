import { countTokens } from "./token-count.ts";
import { headOf } from "./well-formed.ts";

/** Lines before and after a hit. */
const AROUND = 5;
/** Of a file without hits. */
const HEAD_LINES = 40;
const MAX_TOKENS = 500;
const MAX_WINDOWS = 4;
const MAX_LINE_CHARS = 400;

export interface Excerpt {
  /** From 1. */
  readonly start: number;
  /** The last one. */
  readonly end: number;
  readonly content: string;
}

interface Window {
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

/** The places around the lines that hold most of what is asked for, in the file's order; its beginning when no line holds any. */
export function excerptsOf(
  text: string,
  terms: readonly string[],
  weights: readonly number[],
): readonly Excerpt[] {
  const lines = text.split("\n");
  const scores = lines.map((line) => scoreOf(line.toLowerCase(), terms, weights));
  const windows = windowsOf(scores);
  if (windows.length === 0) return withinTokens(lines, [{ start: 0, end: HEAD_LINES, score: 0 }]);
  const best = windows
    .toSorted((a, b) => b.score - a.score || a.start - b.start)
    .slice(0, MAX_WINDOWS);
  return withinTokens(lines, best).toSorted((a, b) => a.start - b.start);
}

function scoreOf(line: string, terms: readonly string[], weights: readonly number[]): number {
  return terms.reduce(
    (sum, term, index) => sum + (line.includes(term) ? (weights[index] ?? 0) + 0.01 : 0),
    0,
  );
}

/** Hits and their surroundings; those that touch are one. */
function windowsOf(scores: readonly number[]): readonly Window[] {
  const windows: Window[] = [];
  for (const [index, score] of scores.entries()) {
    if (score === 0) continue;
    const start = Math.max(0, index - AROUND);
    const end = Math.min(scores.length - 1, index + AROUND);
    const last = windows.at(-1);
    if (last === undefined || start > last.end + 1) windows.push({ start, end, score });
    else windows[windows.length - 1] = { start: last.start, end, score: last.score + score };
  }
  return windows;
}

/** The first ones that fit; a window that is too long is cut at its end. */
function withinTokens(lines: readonly string[], windows: readonly Window[]): Excerpt[] {
  const excerpts: Excerpt[] = [];
  let left = MAX_TOKENS;
  for (const { start, end } of windows) {
    const taken: string[] = [];
    for (const line of lines.slice(start, end + 1)) {
      const shown = headOf(line, MAX_LINE_CHARS);
      const tokens = countTokens(`${shown}\n`);
      if (tokens > left) break;
      left -= tokens;
      taken.push(shown);
    }
    if (taken.length === 0) break;
    excerpts.push({ start: start + 1, end: start + taken.length, content: taken.join("\n") });
  }
  return excerpts;
}
