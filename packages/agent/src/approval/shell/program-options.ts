import {
  HARMLESS_OPTIONS,
  LOADS_CODE,
  type ProgramOptions,
  RUNS_PROGRAM,
  TELLING_NAMES,
} from "./program-option-table.ts";
import { sedRuns } from "./sed-script.ts";
import type { ShellWord } from "./shell-word.ts";

/** Whether a program is told by an option to run another one. */
export function runsByOption(program: string, words: readonly ShellWord[]): boolean {
  const options = ofProgram(RUNS_PROGRAM, program);
  if (options === undefined) return false;
  return words.slice(1).some(({ text }, index) => holds(options, text, program, index));
}

/**
 * How many words reach over every option that runs or loads something, its value included; 0: there is none. For programs whose
 * options are not known, those count whose names tell of it and those that have a path.
 */
export function reachOfOptions(program: string, words: readonly ShellWord[]): number {
  if (sedRuns(program, words)) return words.length;
  const tables = [RUNS_PROGRAM, LOADS_CODE].flatMap((table) => ofProgram(table, program) ?? []);
  const guess = !HARMLESS_OPTIONS.has(program);
  const risky = (text: string, index: number): boolean =>
    tables.some((options) => holds(options, text, program, index)) ||
    (guess && (isTelling(text) || (tables.length === 0 && isOption(text) && isPath(text))));
  let reach = 0;
  for (const [index, { text }] of words.slice(1).entries()) {
    const next = words[index + 2]?.text;
    const takesNext = isOption(text) && !text.includes("=") && next !== undefined;
    const hasPath = guess && tables.length === 0 && takesNext && !isOption(next) && isPath(next);
    if (risky(text, index) || hasPath) reach = index + (takesNext ? 3 : 2);
  }
  return reach;
}

function ofProgram(
  table: ReadonlyMap<string, ProgramOptions>,
  program: string,
): ProgramOptions | undefined {
  // `gcc-12`, `python3.11`
  return table.get(program) ?? table.get(program.replace(/-?\d[\d.]*$/u, ""));
}

/** @param index among the arguments */
function holds(options: ProgramOptions, text: string, program: string, index: number): boolean {
  if (options.words?.test(text) === true) return true;
  const long = /^--?([^=]+)/u.exec(text)?.[1];
  if (long !== undefined) {
    const begun = text.startsWith("--");
    const isNamed = (name: string): boolean => name === long || (begun && name.startsWith(long));
    if (long !== "-" && options.long.some(isNamed)) return true;
  }
  // The old way of tar: letters without a dash.
  const bundle = index === 0 && program.endsWith("tar") ? /^-?([A-Za-z]+)/u : /^-([A-Za-z0-9]+)/u;
  const letters = bundle.exec(text)?.[1] ?? "";
  return Array.from(letters).some((letter) => options.short.includes(letter));
}

function isOption(text: string): boolean {
  return /^-./u.test(text) && text !== "--";
}

function isPath(text: string): boolean {
  return /\/|\.\./u.test(text);
}

/** `--script-shell`, `--globalSetup`, `-exec`, also begun: `--conf`. */
function isTelling(text: string): boolean {
  const name = /^--?([A-Za-z][\w.-]{2,})/u.exec(text)?.[1];
  if (name === undefined || name.startsWith("no-")) return false;
  const parts = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/gu, "-")
    .toLowerCase()
    .split(/[-_.]/u);
  return parts.some(
    (part) => TELLING_NAMES.has(part) || TELLING_NAMES.has(part.replace(/s$/u, "")),
  );
}
