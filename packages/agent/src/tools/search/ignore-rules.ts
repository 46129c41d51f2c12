import { readTextFile } from "@acumen/core";
import ignore, { type Ignore } from "ignore";
import { lstat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

const FILE_NAME = ".gitignore";
const MAX_BYTES = 1024 * 1024;

/** The `.gitignore` rules that hold in one folder: its own, then those of the folders above, up to the repository's root. */
export class IgnoreRules {
  readonly #folder: string;
  readonly #own: Ignore;
  readonly #above: IgnoreRules | undefined;

  private constructor(folder: string, own: Ignore, above: IgnoreRules | undefined) {
    this.#folder = folder;
    this.#own = own;
    this.#above = above;
  }

  /** @param above the rules of the folder above; the same object when the folder has none of its own */
  static async of(
    folder: string,
    above: IgnoreRules | undefined,
  ): Promise<IgnoreRules | undefined> {
    const path = join(folder, FILE_NAME);
    const isFile = (await lstat(path).catch(() => undefined))?.isFile() ?? false;
    const text = isFile
      ? await readTextFile(path, { maxBytes: MAX_BYTES }).catch(() => undefined)
      : undefined;
    if (text === undefined) return above;
    const own = ignore({ ignoreCase: false, allowRelativePaths: true }).add(usableLines(text));
    return new IgnoreRules(folder, own, above);
  }

  /**
   * The rules that hold where a search begins. What somebody asks to be searched is searched, also when it is ignored:
   * then only rules below it count.
   */
  static async above(start: string): Promise<IgnoreRules | undefined> {
    const folders: string[] = [];
    for (let folder = dirname(start); ; folder = dirname(folder)) {
      folders.unshift(folder);
      if (await isRepository(folder)) break;
      if (dirname(folder) === folder) return undefined;
    }
    if (await isRepository(start)) return undefined;
    let rules: IgnoreRules | undefined;
    for (const folder of folders) {
      if (rules?.ignores(folder, true) === true) return undefined;
      rules = await IgnoreRules.of(folder, rules);
    }
    return rules?.ignores(start, true) === true ? undefined : rules;
  }

  /** @param path absolute, below the folder */
  ignores(path: string, isFolder: boolean): boolean {
    const name = relative(this.#folder, path);
    const { ignored, unignored } = this.#own.test(isFolder ? `${name}/` : name);
    if (ignored || unignored) return ignored;
    return this.#above?.ignores(path, isFolder) ?? false;
  }
}

/** Several wildcards in one name make a pattern that takes ages on a name made for it; nobody needs so many. */
const MAX_WILDCARDS = 3;
const MAX_LINE_CHARS = 1000;
const MAX_LINES = 10_000;

function usableLines(text: string): readonly string[] {
  const isUsable = (line: string): boolean =>
    line.length <= MAX_LINE_CHARS &&
    line.split("/").every((part) => part.split(/\*+/).length - 1 <= MAX_WILDCARDS) &&
    line.split("**").length - 1 <= MAX_WILDCARDS;
  return text.split(/\r?\n/, MAX_LINES).filter(isUsable);
}

async function isRepository(folder: string): Promise<boolean> {
  return (await lstat(join(folder, ".git")).catch(() => undefined)) !== undefined;
}
