import { lstat } from "node:fs/promises";
import { basename, relative, sep } from "node:path";
import type { Workspace } from "../../workspace/workspace.ts";
import { type FoundLine, MatchWorker, type SearchPattern } from "./match-worker.ts";
import { type Hint, readTexts, type SkipReason, skipReason } from "./read-text.ts";
import { candidates } from "./ripgrep.ts";
import { chunksOf, SEARCH_TIMEOUT_MS } from "./search-start.ts";
import { walkFiles, type WalkNotes } from "./walk.ts";

export interface LineSearch {
  readonly workspace: Workspace;
  /** Absolute real path of a file or folder. */
  readonly start: string;
  readonly isFolder: boolean;
  readonly pattern: SearchPattern;
  /** What every matching line holds. */
  readonly hint: Hint | undefined;
  /** Over paths relative to the start. */
  readonly include: SearchPattern | undefined;
  readonly context: number;
  /** Matching lines that are given; all are counted. */
  readonly limit: number;
  /** Absolute path of ripgrep, which leaves out files without the hint faster than reading them. */
  readonly ripgrep: string | undefined;
  /** Names the rule by which a file may not be searched; undefined: there is none. */
  readonly deniedRead: (path: string) => string | undefined;
  readonly signal: AbortSignal;
}

export interface FileLines {
  /** Absolute. */
  readonly path: string;
  readonly lines: readonly FoundLine[];
}

export interface LineSearchResult {
  /** In the order of their paths. */
  readonly files: readonly FileLines[];
  readonly matchingLines: number;
  readonly matchingFiles: number;
  /** Searched in vain or passed by. */
  readonly skipped: Readonly<Record<SkipReason, number>>;
}

const CHUNK = 2000;
/** Read at once, and in memory together. */
const READERS = 16;
/** Starting a program takes longer than looking at a few files. */
const WORTH_A_PROGRAM = 50;

const LINES = 0;
const NAMES = 1;

/** Searches in the order of paths, so that a limit keeps the first matches. @throws MatchTimeout, the abort's error */
export async function searchLines(search: LineSearch): Promise<LineSearchResult> {
  const { pattern, include, signal } = search;
  const patterns = include === undefined ? [pattern] : [pattern, include];
  const worker = new MatchWorker(patterns, SEARCH_TIMEOUT_MS, signal);
  const run = new SearchRun(search, worker);
  try {
    for await (const paths of chunksOf(run.paths(), CHUNK)) await run.take(paths);
    return run.result();
  } finally {
    await worker.close();
  }
}

class SearchRun {
  readonly #search: LineSearch;
  readonly #worker: MatchWorker;
  readonly #notes: WalkNotes = { secret: 0, denied: 0, unreadable: 0 };
  readonly #skipped = { binary: 0, large: 0, secret: 0, denied: 0, linked: 0, unreadable: 0 };
  readonly #files: FileLines[] = [];
  #matchingLines = 0;
  #matchingFiles = 0;

  constructor(search: LineSearch, worker: MatchWorker) {
    this.#search = search;
    this.#worker = worker;
  }

  paths(): AsyncIterable<string> | Iterable<string> {
    const { workspace, start, isFolder, deniedRead, signal } = this.#search;
    if (isFolder) return walkFiles({ workspace, start, deniedRead, signal }, this.#notes);
    if (deniedRead(start) === undefined) return [start];
    this.#notes.denied += 1;
    return [];
  }

  result(): LineSearchResult {
    const { secret, denied, unreadable } = this.#notes;
    return {
      files: this.#files,
      matchingLines: this.#matchingLines,
      matchingFiles: this.#matchingFiles,
      skipped: {
        ...this.#skipped,
        secret: this.#skipped.secret + secret,
        denied,
        unreadable: this.#skipped.unreadable + unreadable,
      },
    };
  }

  async take(paths: readonly string[]): Promise<void> {
    const wanted = await this.#couldMatch(await this.#included(paths));
    for await (const batch of chunksOf(wanted, READERS)) {
      this.#worker.throwIfStopped();
      await this.#searchBatch(batch);
    }
  }

  async #included(paths: readonly string[]): Promise<readonly string[]> {
    const { include, start, isFolder } = this.#search;
    if (include === undefined) return paths;
    const nameOf = (path: string): string =>
      isFolder ? relative(start, path).replaceAll(sep, "/") : basename(path);
    const matches = await this.#worker.names(NAMES, paths.map(nameOf));
    return paths.filter((_path, index) => matches[index] === true);
  }

  /** Asks ripgrep where that saves reading; what it would not say of files that are passed by is looked up. */
  async #couldMatch(paths: readonly string[]): Promise<readonly string[]> {
    const { hint, ripgrep, signal } = this.#search;
    if (hint === undefined || ripgrep === undefined || paths.length < WORTH_A_PROGRAM) return paths;
    const readable: string[] = [];
    for await (const batch of chunksOf(paths, READERS)) {
      this.#worker.throwIfStopped();
      const stats = await Promise.all(batch.map((path) => lstat(path).catch(() => undefined)));
      for (const [index, path] of batch.entries()) {
        const facts = stats[index];
        const reason = facts?.isFile() === true ? skipReason(path, facts) : undefined;
        if (reason === undefined) readable.push(path);
        else this.#skipped[reason] += 1;
      }
    }
    const found = await candidates(readable, { ...hint, program: ripgrep, signal });
    return found === undefined ? readable : readable.filter((path) => found.has(path));
  }

  async #searchBatch(paths: readonly string[]): Promise<void> {
    const { hint, context, limit } = this.#search;
    const read = await readTexts(paths, hint, this.#worker);
    const texts: { readonly path: string; readonly text: string }[] = [];
    for (const [index, path] of paths.entries()) {
      const file = read[index];
      if (file?.type === "text") texts.push({ path, text: file.text });
      if (file?.type === "skipped") this.#skipped[file.reason] += 1;
    }
    if (texts.length === 0) return;
    const given = Math.max(0, limit - this.#matchingLines);
    const found = await this.#worker.lines(LINES, {
      texts: texts.map(({ text }) => text),
      context,
      limit: given,
    });
    for (const [index, { count, lines }] of found.entries()) {
      const path = texts[index]?.path;
      if (count === 0 || path === undefined) continue;
      this.#matchingFiles += 1;
      this.#matchingLines += count;
      if (lines.length > 0) this.#files.push({ path, lines });
    }
  }
}
