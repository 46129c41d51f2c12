import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readTextFile, throwIfAborted } from "@acumen/core";
import ignore, { type Ignore } from "ignore";
import type { ListedFiles } from "./listed-files.ts";
import { compare } from "./pack.ts";
import { skippedFolder } from "./skipped-folders.ts";

/** More are a mistake or an attack. */
const MAX_ENTRIES = 50_000;
const MAX_DEPTH = 40;
const MAX_RULES_BYTES = 64 * 1024;
/** A rule with more wildcards than that could take for ever to compare. */
const MAX_WILDCARDS = 4;

interface Rules {
  /** Relative folder of the `.gitignore`; empty or with `/` at its end. */
  readonly base: string;
  readonly own: Ignore;
}

/** Files of a plain folder, by its `.gitignore` files. Links are named, and no folder is looked into through one. */
export async function walkFiles(root: string, signal: AbortSignal): Promise<ListedFiles> {
  const paths: string[] = [];
  const ignored: string[] = [];
  let entries = 0;
  let isCut = false;

  async function walk(base: string, above: readonly Rules[], depth: number): Promise<void> {
    throwIfAborted(signal);
    const children = await readdir(join(root, base), { withFileTypes: true }).catch(() => []);
    const rules = await rulesOf(root, base, children, above);
    for (const child of children.toSorted((a, b) => compare(a.name, b.name))) {
      entries += 1;
      if (entries > MAX_ENTRIES || depth > MAX_DEPTH) {
        isCut = true;
        return;
      }
      const path = `${base}${child.name}`;
      const isFolder = child.isDirectory();
      if (isIgnored(rules, path, isFolder)) ignored.push(isFolder ? `${path}/` : path);
      else if (!isFolder || skippedFolder(path) !== undefined) paths.push(path);
      else await walk(`${path}/`, rules, depth + 1);
    }
  }

  await walk("", [], 0);
  return {
    paths: paths.toSorted(compare),
    ignored,
    recency: new Map(),
    warnings: isCut
      ? [
          `The project is larger than what is looked at (${MAX_ENTRIES} entries, ${MAX_DEPTH} folders deep); the rest is left out.`,
        ]
      : [],
  };
}

async function rulesOf(
  root: string,
  base: string,
  children: readonly Dirent[],
  above: readonly Rules[],
): Promise<readonly Rules[]> {
  // A link could name rules that lie elsewhere.
  if (!children.some((child) => child.name === ".gitignore" && child.isFile())) return above;
  const file = join(root, base, ".gitignore");
  const text = await readTextFile(file, { maxBytes: MAX_RULES_BYTES }).catch(() => "");
  const lines = text
    .split("\n")
    .filter((line) => (line.match(/\*+/g) ?? []).length <= MAX_WILDCARDS);
  return [...above, { base, own: ignore({ allowRelativePaths: true }).add(lines) }];
}

/** The innermost file that says something decides. */
function isIgnored(rules: readonly Rules[], path: string, isFolder: boolean): boolean {
  for (const { base, own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(`${path.slice(base.length)}${isFolder ? "/" : ""}`);
    if (ignored || unignored) return ignored;
  }
  return false;
}
