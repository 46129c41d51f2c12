import { createHash } from "node:crypto";
import { BusinessRuleViolation, ConflictError, PlanError } from "../../src/errors/domain-error.ts";
import type { Change, ChangeStats, Conflict } from "../../src/sandbox/change.ts";
import type {
  ApplyOptions,
  ApplyResult,
  DiffOptions,
  Mergeability,
  PlanBase,
  Project,
  Sandbox,
  SandboxDiff,
  Sandboxes,
  SandboxRef,
} from "../../src/sandbox/sandboxes.ts";
import type { ValidationResult } from "../../src/sandbox/validation.ts";

type Files = ReadonlyMap<string, string>;

const TARGET = "refs/heads/main";

/** Projects and private copies as maps: fast, and everything that the real ones answer can be looked at. */
export class MemorySandboxes implements Sandboxes {
  isolation: "bubblewrap" | "none" = "bubblewrap";
  /** Outcomes of validations by name; default passed. */
  readonly outcomes = new Map<string, ValidationResult["status"]>();
  /** Of each validation. */
  output = "";
  /** Called at named moments of `apply`: `begin`, `moved`; may throw. */
  hook: (moment: "begin" | "moved" | "create") => Promise<void> = () => Promise.resolve();
  readonly pins = new Set<string>();
  readonly removed: string[] = [];
  readonly merges: string[] = [];
  sweptFor: ReadonlySet<string> | undefined;
  #commits = new Map<string, Files>();
  #heads = new Map<string, string>();
  #copies = new Map<string, Map<string, string>>();

  /** The user commits in the project. */
  commit(project: Project, changes: Readonly<Record<string, string>>): string {
    const head = this.#heads.get(project.path);
    const files = new Map([...this.#at(head), ...Object.entries(changes)]);
    return this.#store(project, files);
  }

  /** The same under a name of its own. */
  commitAs(project: Project, commit: string, changes: Readonly<Record<string, string>>): void {
    const files = this.#at(this.#heads.get(project.path));
    this.#store(project, new Map([...files, ...Object.entries(changes)]), commit);
  }

  /** What the user sees in the project. */
  files(project: Project): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#at(this.#heads.get(project.path)));
  }

  head(project: Project): string | undefined {
    return this.#heads.get(project.path);
  }

  copies(): readonly string[] {
    return [...this.#copies.keys()];
  }

  write(sandbox: SandboxRef, file: string, text: string): void {
    this.#copy(sandbox).set(file, text);
  }

  read(sandbox: SandboxRef, file: string): string | undefined {
    return this.#copy(sandbox).get(file);
  }

  base(project: Project, planId: string): Promise<PlanBase> {
    const commit = this.#heads.get(project.path);
    if (commit === undefined) {
      return Promise.reject(new BusinessRuleViolation(`${project.path} has no commit.`));
    }
    this.pins.add(planId);
    return Promise.resolve({ commit, target_ref: TARGET, warnings: [] });
  }

  readBase(_project: Project, base: PlanBase, path: string): Promise<string | undefined> {
    return Promise.resolve(this.#at(base.commit).get(path));
  }

  listBase(_project: Project, base: PlanBase, folder: string): Promise<readonly string[]> {
    const paths = [...this.#at(base.commit).keys()];
    return Promise.resolve(paths.filter((path) => path.startsWith(`${folder}/`)));
  }

  async create(
    plan: { readonly planId: string; readonly attempt: number; readonly base: PlanBase },
    signal: AbortSignal,
  ): Promise<Sandbox> {
    await this.hook("create");
    signal.throwIfAborted();
    const path = `/sandboxes/${plan.planId}/${plan.attempt}`;
    this.#copies.set(path, new Map(this.#at(plan.base.commit)));
    return this.#sandbox({ path, branch: `attempt-${plan.attempt}`, attempt: plan.attempt });
  }

  open({ sandbox }: { readonly sandbox: SandboxRef }): Promise<Sandbox> {
    this.#copy(sandbox);
    return Promise.resolve(this.#sandbox(sandbox));
  }

  diff(
    plan: { readonly base: PlanBase; readonly sandbox: SandboxRef },
    { format, pick }: DiffOptions,
  ): Promise<SandboxDiff> {
    const copy = this.#copy(plan.sandbox);
    const changes = changesOf(this.#at(plan.base.commit), copy);
    const digest = digestOf(plan.base, copy);
    const shown = pick?.({ digest, changes }) ?? changes;
    const text = shown.map(({ path, op }) => `${op} ${path}\n${copy.get(path) ?? ""}\n`).join("");
    return Promise.resolve({
      base_commit: plan.base.commit,
      head_commit: `head-${digestOf(plan.base, copy).slice(0, 8)}`,
      digest,
      changes: shown,
      stats: statsOf(changes),
      ...(format !== "summary" && { patch: text }),
      truncated: shown.length < changes.length,
    });
  }

  mergeability(plan: {
    readonly project: Project;
    readonly base: PlanBase;
    readonly sandbox: SandboxRef;
  }): Promise<Mergeability> {
    const head = this.#heads.get(plan.project.path) ?? null;
    const conflicts = this.#conflicts(plan);
    const behind = head === plan.base.commit ? 0 : 1;
    return Promise.resolve({ target_head: head, behind, clean: conflicts.length === 0, conflicts });
  }

  async apply(options: ApplyOptions): Promise<ApplyResult> {
    const { project, base, sandbox, planId, signal } = options;
    await this.hook("begin");
    signal.throwIfAborted();
    const copy = this.#copy(sandbox);
    if (options.digest !== digestOf(base, copy)) throw new ConflictError("Another digest.");
    const head = this.#heads.get(project.path) ?? null;
    if (options.expectedTargetHead !== null && options.expectedTargetHead !== head) {
      throw new ConflictError("Another head.");
    }
    const validations: ValidationResult[] = [];
    const conflicts = this.#conflicts(options);
    if (conflicts.length > 0) {
      return { outcome: "constrained", conflicts, validations, reason: "There are conflicts." };
    }
    for (const { name } of options.validations) {
      await options.validated({ name, result: undefined });
      const status = this.outcomes.get(name) ?? "passed";
      const exit_code = status === "passed" ? 0 : 1;
      const result = { name, status, exit_code, duration_ms: 1, output: this.output };
      validations.push(result);
      await options.validated({ name, result });
    }
    if (validations.some(({ status }) => status !== "passed")) {
      return { outcome: "constrained", conflicts, validations, reason: "A validation failed." };
    }
    const changes = changesOf(this.#at(base.commit), copy);
    const commit = `merge-${this.#commits.size + 1}`;
    await options.moving({ commit, target_ref: TARGET, target_head: head });
    const merged = new Map(this.#at(head ?? undefined));
    for (const { path } of changes) merged.set(path, copy.get(path) ?? "");
    this.#store(project, merged, commit);
    this.merges.push(planId);
    await this.hook("moved");
    return {
      outcome: "applied",
      commit,
      validations: validations.length === 0 ? "none" : validations,
      stats: statsOf(changes),
    };
  }

  wasApplied(
    _plan: { readonly project: Project },
    merge: { readonly commit: string | null },
  ): Promise<boolean> {
    return Promise.resolve(merge.commit !== null && this.#commits.has(merge.commit));
  }

  remove({ planId }: { readonly planId: string }): Promise<void> {
    this.removed.push(planId);
    this.pins.delete(planId);
    for (const path of this.copies()) {
      if (path.startsWith(`/sandboxes/${planId}/`)) this.#copies.delete(path);
    }
    return Promise.resolve();
  }

  async sweep(planIds: ReadonlySet<string>): Promise<void> {
    this.sweptFor = planIds;
    const left = new Set(this.copies().map((path) => path.split("/")[2] ?? ""));
    for (const planId of left) if (!planIds.has(planId)) await this.remove({ planId });
  }

  #sandbox(ref: SandboxRef): Sandbox {
    return {
      ...ref,
      isolation: this.isolation,
      wrap: ({ file, args }) => ({ file, args }),
      checkpoint: () => Promise.resolve(`commit-of-${ref.attempt}`),
    };
  }

  #store(project: Project, files: Files, commit = `commit-${this.#commits.size + 1}`): string {
    this.#commits.set(commit, files);
    this.#heads.set(project.path, commit);
    return commit;
  }

  #at(commit: string | undefined): Files {
    return this.#commits.get(commit ?? "") ?? new Map();
  }

  #copy({ path }: SandboxRef): Map<string, string> {
    const copy = this.#copies.get(path);
    if (copy === undefined) throw new PlanError(`The sandbox ${path} is gone.`);
    return copy;
  }

  /** Files that both sides changed in different ways. */
  #conflicts(plan: {
    readonly project: Project;
    readonly base: PlanBase;
    readonly sandbox: SandboxRef;
  }): readonly Conflict[] {
    const base = this.#at(plan.base.commit);
    const copy = this.#copy(plan.sandbox);
    const target = this.#at(this.#heads.get(plan.project.path));
    return changesOf(base, copy)
      .filter(({ path }) => target.get(path) !== base.get(path))
      .filter(({ path }) => target.get(path) !== copy.get(path))
      .map(({ path }) => ({ path, kind: "content", base: null, ours: null, theirs: null }));
  }
}

function digestOf(base: PlanBase, files: Files): string {
  const text = JSON.stringify([base.commit, [...files].map((file) => file.join("\0")).toSorted()]);
  return createHash("sha256").update(text).digest("hex");
}

function changesOf(base: Files, copy: Files): readonly Change[] {
  return [...copy]
    .filter(([path, text]) => base.get(path) !== text)
    .map(([path]) => ({
      path,
      old_path: null,
      op: base.has(path) ? "modify" : "add",
      insertions: 1,
      deletions: base.has(path) ? 1 : 0,
      binary: false,
      old_mode: base.has(path) ? "100644" : null,
      new_mode: "100644",
      note: null,
    }));
}

function statsOf(changes: readonly Change[]): ChangeStats {
  const insertions = changes.length;
  const deletions = changes.filter(({ op }) => op === "modify").length;
  return { files: changes.length, insertions, deletions };
}
