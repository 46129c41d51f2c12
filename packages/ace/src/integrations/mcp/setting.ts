import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";

/** What became of a variable's text: a value, or what was expected instead. */
type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly expected: string };

/** One `ACE_MCP_*` variable: its parser, its default and its row in the documentation. */
export interface Setting<T> {
  readonly variable: string;
  readonly fallback: T;
  /** The default as the documentation prints it. */
  readonly shown: string;
  readonly type: string;
  readonly description: string;
  parse(text: string): Parsed<T>;
}

const TRUE = new Set(["true", "1", "yes", "on", "t", "y"]);
const FALSE = new Set(["false", "0", "no", "off", "f", "n"]);

const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
const bad = (expected: string): { ok: false; expected: string } => ({ ok: false, expected });

export function textSetting(
  variable: string,
  fallback: string,
  description: string,
): Setting<string> {
  return {
    variable,
    fallback,
    shown: fallback === "" ? "empty" : `\`${fallback}\``,
    type: "text",
    description,
    parse: (text) => ok(text.trim()),
  };
}

export function flagSetting(
  variable: string,
  fallback: boolean,
  description: string,
): Setting<boolean> {
  return {
    variable,
    fallback,
    shown: `\`${fallback}\``,
    type: "true or false",
    description,
    parse: (text) => {
      const word = text.trim().toLowerCase();
      if (TRUE.has(word)) return ok(true);
      return FALSE.has(word) ? ok(false) : bad("true or false");
    },
  };
}

export function integerSetting(
  variable: string,
  fallback: number,
  range: { readonly max: number },
  description: string,
): Setting<number> {
  const expected = `a whole number from 1 to ${range.max}`;
  return {
    variable,
    fallback,
    shown: `\`${fallback}\``,
    type: expected,
    description,
    parse: (text) => {
      const number = /^\d{1,15}$/.test(text.trim()) ? Number(text) : 0;
      return number >= 1 && number <= range.max ? ok(number) : bad(expected);
    },
  };
}

/** One of a few words, in any case. */
export function choiceSetting<T extends string>(
  variable: string,
  fallback: T,
  choices: readonly T[],
  description: string,
): Setting<T> {
  const expected = `one of ${choices.join(", ")}`;
  return {
    variable,
    fallback,
    shown: `\`${fallback}\``,
    type: expected,
    description,
    parse: (text) => {
      const word = text.trim().toLowerCase();
      const choice = choices.find((candidate) => candidate.toLowerCase() === word);
      return choice === undefined ? bad(expected) : ok(choice);
    },
  };
}

export function globsSetting(
  variable: string,
  description: string,
): Setting<readonly string[] | undefined> {
  return {
    variable,
    fallback: undefined,
    shown: "unset",
    type: "patterns separated by commas, `*` stands for any text",
    description,
    parse: (text) => {
      const globs = text
        .split(",")
        .map((glob) => glob.trim())
        .filter((glob) => glob !== "");
      return globs.length > 0 ? ok(globs) : bad("at least one pattern");
    },
  };
}

export function folderSetting(variable: string, description: string): Setting<string | undefined> {
  return {
    variable,
    fallback: undefined,
    shown: "unset",
    type: "path of a folder",
    description,
    parse: (text) => {
      const path = resolve(expandHome(text));
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined || stats.isDirectory()
        ? ok(path)
        : bad("a folder, or a path where one can be made (this is a file)");
    },
  };
}

/** `~` and `~/…` as the shell reads them, because hosts start the server without a shell. */
export function expandHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? `${homedir()}${path.slice(1)}` : path;
}
