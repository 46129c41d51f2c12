import { throwIfAborted } from "@acumen/core";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ConflictError } from "../errors/domain-error.ts";
import { namesIn } from "../git/path-text.ts";
import { checkedAttempt, constrained } from "./apply-to-branch.ts";
import { FileChanged, FolderJournal, type JournalEntry, stateOf } from "./folder-journal.ts";
import { dirtyConflict, liveConflicts } from "./live-conflicts.ts";
import type { PlanFolder } from "./plan-folder.ts";
import type { PlanRepository } from "./plan-repository.ts";
import type { ProjectSide } from "./project-side.ts";
import { pathsBetween, statsOf } from "./read-diff.ts";
import type { SandboxContext } from "./sandbox-context.ts";
import type { ApplyOptions, ApplyResult } from "./sandboxes.ts";
import { failureOf, validateMerge } from "./validate-merge.ts";

const EXECUTABLE = 0o111;

interface Place {
  readonly folder: PlanFolder;
  readonly repository: PlanRepository;
  snapshot(): Promise<string>;
}

/** One apply to a plain folder: compared with the base, validated, then written by a journal. */
export class FolderApply {
  readonly #context: SandboxContext;
  readonly #side: ProjectSide;
  readonly #options: ApplyOptions;
  readonly #place: Place;

  constructor(context: SandboxContext, side: ProjectSide, options: ApplyOptions, place: Place) {
    this.#context = context;
    this.#side = side;
    this.#options = options;
    this.#place = place;
  }

  async run(): Promise<ApplyResult> {
    const { base, project, signal, expectedTargetHead, validations: specs } = this.#options;
    const { repository, folder } = this.#place;
    if (expectedTargetHead !== null) {
      throw new ConflictError(
        `${project.path} is no git repository, so it has no head that could be expected.`,
        { details: { expected: expectedTargetHead, actual: null } },
      );
    }
    const attempt = await checkedAttempt(repository, this.#options);
    const live = await this.#place.snapshot();
    const heads = { base: base.commit, live, head: attempt.head };
    const { tree, conflicts } = await liveConflicts(repository, project, heads, signal);
    if (conflicts.length > 0) {
      return constrained(
        conflicts,
        [],
        "Files that the plan changes are not as they were, or something is in their way.",
      );
    }
    const commit = await repository.commit({
      tree,
      parents: [live, attempt.head],
      message: this.#options.message,
      date: this.#context.clock.now(),
    });
    const merge = { repository, folder, commit };
    const validations = await validateMerge(this.#context, this.#side, this.#options, merge);
    const failure = failureOf(validations);
    if (failure !== undefined) return constrained([], validations, failure);
    throwIfAborted(signal);
    const changed = await this.#write(live, commit);
    if (changed !== undefined) return changed;
    return {
      outcome: "applied",
      commit: null,
      validations: specs.length === 0 ? "none" : validations,
      stats: statsOf(attempt.changes),
    };
  }

  /** What kept it from being written; undefined: it is there, whole. */
  async #write(live: string, commit: string): Promise<ApplyResult | undefined> {
    const { project } = this.#options;
    const { folder } = this.#place;
    try {
      const entries = await this.#prepare(live, commit);
      this.#context.faults?.("merged");
      await this.#options.moving({ commit: null, target_ref: null, target_head: null });
      this.#context.faults?.("announced");
      const journal = await FolderJournal.begin(folder.journal, project.path, entries);
      this.#context.faults?.("journal");
      try {
        await journal.write((point) => this.#context.faults?.(point));
      } catch (error) {
        await journal.undo();
        throw error;
      }
      this.#context.faults?.("moved");
      return undefined;
    } catch (error) {
      if (!(error instanceof FileChanged)) throw error;
      const { path } = error;
      return constrained(
        [dirtyConflict(path)],
        [],
        `${JSON.stringify(path)} changed while the plan was applied, or cannot be written. Look at it, and apply again; nothing was changed.`,
      );
    }
  }

  /** Contents before and after, beside the journal. */
  async #prepare(live: string, commit: string): Promise<readonly JournalEntry[]> {
    const { folder } = this.#place;
    const { path: root } = this.#options.project;
    const paths = await pathsBetween(this.#place.repository, live, commit);
    await this.#context.trash.take(folder.journal);
    const kept = await this.#extract(live, "before", paths);
    const wanted = await this.#extract(commit, "after", paths);
    const { journal } = folder;
    const entries: JournalEntry[] = [];
    for (const path of paths) {
      // Where one side has a file, the other may have a folder.
      const before = kept.has(path) ? await stateOf(join(journal, "before"), path) : null;
      const after = wanted.has(path) ? await stateOf(join(journal, "after"), path) : null;
      const now = before === null ? null : await stateOf(root, path);
      if (now?.hash !== before?.hash || now?.kind !== before?.kind) throw new FileChanged(path);
      entries.push({ path, before: now, after: withModeOf(after, now) });
    }
    // First what goes: a folder may become a file, and a file a folder.
    return entries.toSorted((a, b) => Number(a.after !== null) - Number(b.after !== null));
  }

  async #extract(
    commit: string,
    name: "before" | "after",
    paths: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const { repository, folder } = this.#place;
    const work = join(folder.journal, name);
    const indexFile = join(folder.journal, `${name}.index`);
    await mkdir(work, { recursive: true, mode: 0o700 });
    const call = { workTree: work, indexFile };
    await repository.run(["read-tree", commit], call);
    const there = new Set(namesIn((await repository.run(["ls-files", "-z"], call)).stdout));
    const wanted = paths.filter((path) => there.has(path));
    if (wanted.length === 0) return new Set();
    const input = wanted.map((path) => `${path}\0`).join("");
    await repository.run(["checkout-index", "--quiet", "-z", "--stdin"], { ...call, input });
    return new Set(wanted);
  }
}

/** The user's own permission bits stay; only whether it can be run follows the plan. */
function withModeOf(
  after: JournalEntry["after"],
  before: JournalEntry["before"],
): JournalEntry["after"] {
  if (after?.kind !== "file" || before?.kind !== "file") return after;
  const isRun = (after.mode & EXECUTABLE) !== 0;
  if (isRun === ((before.mode & EXECUTABLE) !== 0)) return { ...after, mode: before.mode };
  // As `chmod +x` would: whoever may read it may run it.
  const readers = (before.mode & 0o444) >> 2;
  return { ...after, mode: isRun ? before.mode | readers : before.mode & ~EXECUTABLE };
}
