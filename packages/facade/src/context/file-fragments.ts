import { createHash } from "node:crypto";
import { openWorkspace, type Redactor } from "@acumen/agent";
import { AcumenError, throwIfAborted } from "@acumen/core";
import type { GitCommand } from "../git/git-command.ts";
import type { Project } from "../sandbox/sandboxes.ts";
import type { DroppedFragment } from "../services/context-service.ts";
import { type Candidate, type Collected, type Form, formOf } from "./candidate.ts";
import { excerptsOf } from "./excerpts.ts";
import { fileUri } from "./file-uri.ts";
import { gitFiles } from "./git-files.ts";
import { excluded, type ListedFiles, outsideOf } from "./listed-files.ts";
import { compare } from "./pack.ts";
import { pathMatcher } from "./path-globs.ts";
import { type FileText, ProjectReader } from "./project-reader.ts";
import { pinnedFiles, type ReadFile, readFiles } from "./read-files.ts";
import { bm25, pathScore, rarity } from "./score-files.ts";
import { skippedFolder } from "./skipped-folders.ts";
import { TextCache } from "./text-cache.ts";
import { tokensOfBytes } from "./token-count.ts";
import { walkFiles } from "./walk-files.ts";
import { wellFormed } from "./well-formed.ts";

/** Files whose text may get in, and files that are only named beside them. */
const MOST_READ = 100;
const MOST_NAMED = 30;
const WEIGHTS = { bm25: 1, path: 0.5, recency: 0.25 } as const;

export interface FileRequest {
  readonly project: Project;
  readonly query: string;
  readonly terms: readonly string[];
  /** Globs; absent: every file. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly pinned?: readonly string[];
  /** Paths that the plan changes. */
  readonly changed: ReadonlySet<string>;
  /** False: the pinned files alone. */
  readonly all: boolean;
  readonly signal: AbortSignal;
}

export interface CollectedFiles extends Collected {
  /** Files that the project has, whether or not they may be read. */
  readonly fileCount: number;
}

interface Scored extends ReadFile {
  readonly scores: { readonly bm25: number; readonly path: number; readonly recency: number };
  readonly score: number;
}

/** Files of a project, by how much they have to do with a question. */
export class FileSource {
  readonly #git: GitCommand;
  readonly #home: string;
  readonly #redact: Redactor;
  readonly #texts: TextCache;

  /**
   * @param of.home `$ACUMEN_HOME`, whose keys are kept apart where a project contains it
   * @param of.texts default: of its own
   */
  constructor(of: {
    readonly git: GitCommand;
    readonly home: string;
    readonly redact: Redactor;
    readonly texts?: TextCache;
  }) {
    this.#git = of.git;
    this.#home = of.home;
    this.#redact = of.redact;
    this.#texts = of.texts ?? new TextCache();
  }

  /** @throws ValidationError for a pin that cannot be read; the abort's error */
  async collect(request: FileRequest): Promise<CollectedFiles> {
    const { project, terms, pinned = [], all, signal } = request;
    const workspace = await openWorkspace({ cwd: project.path, home: this.#home });
    const reader = new ProjectReader(workspace, this.#texts);
    if (!all && pinned.length === 0) return { candidates: [], fileCount: 0 };
    const listed = await this.#list(project, signal);
    const pins = await pinnedFiles(reader, pinned, outsideOf(listed));
    if (!all) {
      return { candidates: pins.map((pin) => this.#pinned(pin)), fileCount: pins.length };
    }
    const chosen = chosenPaths(listed, request);
    const known = new Set(pins.map(({ path }) => path));
    const order = inOrder(
      chosen.paths.filter((path) => !known.has(path)),
      listed,
      request,
    );
    const read = await readFiles(reader, order, terms, signal);
    const scored = scoredFiles(read.files, listed, request);
    const { kept, twins } = withoutTwins(pins, scored);
    const hits = kept.filter(({ scores }) => scores.bm25 > 0 || scores.path > 0);
    const isOpen = terms.length === 0 || hits.length === 0;
    const texts = (isOpen ? kept : hits).slice(0, MOST_READ);
    const rest = kept.filter((file) => !texts.includes(file));
    const weights = rarity(
      read.files.map(({ counts }) => counts),
      terms,
    );
    return {
      candidates: [
        ...pins.map((pin) => this.#pinned(pin)),
        ...texts.map((file) => this.#candidate(file, terms, weights)),
        ...rest.slice(0, MOST_NAMED).map(named),
      ],
      dropped: [...chosen.dropped, ...read.dropped, ...twins, ...rest.slice(MOST_NAMED).map(left)],
      warnings: listed.warnings,
      fileCount: listed.paths.length,
    };
  }

  async #list(project: Project, signal: AbortSignal): Promise<ListedFiles> {
    if (project.kind !== "git-checkout") return walkFiles(project.path, signal);
    try {
      return await gitFiles(this.#git, project, signal);
    } catch (error) {
      throwIfAborted(signal);
      if (!AcumenError.isInstance(error)) throw error;
      const walked = await walkFiles(project.path, signal);
      const warning = "git could not list the files, so the folder was looked through instead.";
      return { ...walked, warnings: [...walked.warnings, warning] };
    }
  }

  #pinned({ path, text }: FileText): Candidate {
    const content = this.#redact(text);
    const part = { uri: fileUri(path), title: wellFormed(path), content };
    return {
      ...FILE,
      uri: part.uri,
      score: 1,
      pinned: true,
      forms: [formOf("full", [part])],
    };
  }

  #candidate(
    { path, text, score, scores }: Scored,
    terms: readonly string[],
    weights: readonly number[],
  ): Candidate {
    const uri = fileUri(path);
    const title = wellFormed(path);
    const content = this.#redact(text);
    const full = formOf("full", [{ uri, title, content }]);
    // Lines of a text in which a secret of several was hidden are not those of the file.
    const isWhole = content === text || content.split("\n").length === text.split("\n").length;
    const excerpts = isWhole ? excerptsOf(content, terms, weights) : [];
    const excerpt = formOf(
      "excerpt",
      excerpts.map(({ start, end, content: lines }) => ({
        uri: `${uri}#L${start}-L${end}`,
        title: `${title}, lines ${start} to ${end}`,
        content: lines,
        range: { start_line: start, end_line: end },
      })),
    );
    const isShorter = excerpts.length > 0 && excerpt.tokens < full.tokens * 0.8;
    const forms = [full, ...(isShorter ? [excerpt] : []), reference(path, text)];
    return { ...FILE, uri, score, scores, forms };
  }
}

const FILE = { source: "files", group: "files", trust: "untrusted" } as const;

function named({ path, text, score, scores }: Scored): Candidate {
  // Behind every file that has to do with the question.
  const rank = score / 1_000;
  return { ...FILE, uri: fileUri(path), score: rank, scores, forms: [reference(path, text)] };
}

function reference(path: string, text: string): Form {
  const content = `${text.split("\n").length} lines, ${Buffer.byteLength(text)} bytes`;
  return formOf("reference", [{ uri: fileUri(path), title: wellFormed(path), content }]);
}

function left({ path, text }: Scored): DroppedFragment {
  const tokens = tokensOfBytes(Buffer.byteLength(text));
  return { uri: fileUri(path), reason: "over_budget", tokens };
}

/** Without what is ignored, somebody else's, or not asked for. */
function chosenPaths(
  { paths, ignored }: ListedFiles,
  { include, exclude }: FileRequest,
): { readonly paths: readonly string[]; readonly dropped: readonly DroppedFragment[] } {
  const isIn = include === undefined ? () => true : pathMatcher(include);
  const isOut = exclude === undefined ? () => false : pathMatcher(exclude);
  const skipped = new Set(ignored.map((path) => skippedFolder(path) ?? path));
  const chosen: string[] = [];
  for (const path of paths) {
    const folder = skippedFolder(path);
    if (folder !== undefined) skipped.add(folder);
    else if (isIn(path) && isOut(path)) skipped.add(path);
    else if (isIn(path)) chosen.push(path);
  }
  return { paths: chosen, dropped: [...skipped].map((path) => excluded(fileUri(path))) };
}

/** Those first that should be read even if not all can be. */
function inOrder(
  paths: readonly string[],
  { recency }: ListedFiles,
  { query, terms }: FileRequest,
): readonly string[] {
  return paths
    .map((path) => ({
      path,
      rank:
        pathScore(path, query, terms) * WEIGHTS.path + (recency.get(path) ?? 0) * WEIGHTS.recency,
    }))
    .toSorted((a, b) => b.rank - a.rank || compare(a.path, b.path))
    .map(({ path }) => path);
}

function scoredFiles(
  files: readonly ReadFile[],
  { recency }: ListedFiles,
  { query, terms, changed }: FileRequest,
): readonly Scored[] {
  const lexical = bm25(
    files.map(({ counts }) => counts),
    terms,
  );
  return files
    .map((file, index) => {
      const scores = {
        bm25: rounded(lexical[index] ?? 0),
        path: rounded(changed.has(file.path) ? 1 : pathScore(file.path, query, terms)),
        recency: rounded(recency.get(file.path) ?? 0),
      };
      const score = rounded(
        scores.bm25 * WEIGHTS.bm25 + scores.path * WEIGHTS.path + scores.recency * WEIGHTS.recency,
      );
      return { ...file, scores, score };
    })
    .toSorted((a, b) => b.score - a.score || compare(a.path, b.path));
}

/** Each text once: pinned, or where it has the better score. */
function withoutTwins(
  pins: readonly FileText[],
  files: readonly Scored[],
): { readonly kept: readonly Scored[]; readonly twins: readonly DroppedFragment[] } {
  const seen = new Set(pins.map(({ text }) => digestOf(text)));
  const kept: Scored[] = [];
  const twins: DroppedFragment[] = [];
  for (const file of files) {
    const digest = digestOf(file.text);
    if (!seen.has(digest)) kept.push(file);
    else twins.push({ uri: fileUri(file.path), reason: "duplicate", tokens: null });
    seen.add(digest);
  }
  return { kept, twins };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
