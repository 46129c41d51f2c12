import { createId, Mutex } from "@acumen/core";
import { lstatSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { BusinessRuleViolation, PlanError } from "../errors/domain-error.ts";
import { zeroFields } from "../git/path-text.ts";
import { FolderApply } from "./apply-to-folder.ts";
import { BaseReader } from "./base-reader.ts";
import { copyIndex } from "./copy-index.ts";
import { FolderJournal } from "./folder-journal.ts";
import { liveConflicts } from "./live-conflicts.ts";
import { PlanFolder } from "./plan-folder.ts";
import type { PlanRecords } from "./plan-records.ts";
import { type Lender, PlanRepository } from "./plan-repository.ts";
import type { PlanAt, ProjectSide } from "./project-side.ts";
import type { SandboxContext } from "./sandbox-context.ts";
import type {
  ApplyOptions,
  ApplyResult,
  Mergeability,
  PlanBase,
  Project,
  SandboxRef,
} from "./sandboxes.ts";
import { stageFiles, writeTree } from "./stage-files.ts";

const MAX_FILES = 50_000;
/** So many files are looked at before others have a turn. */
const YIELD = 500;
const MAX_BYTES = 1024 * 1024 * 1024;

/** A plain folder's files are bytes: nothing converts them, whatever its `.gitattributes` says. */
const ATTRIBUTES = "* -text -ident !eol !filter !working-tree-encoding\n";

/** Plain folders: their state becomes a commit of the plan's own repository, and a change is written back file by file. */
export class FolderSide implements ProjectSide {
  readonly #context: SandboxContext;
  /** By path. */
  readonly #locks = new Map<string, Mutex>();

  constructor(context: SandboxContext) {
    this.#context = context;
  }

  async base(project: Project, folder: PlanFolder): Promise<PlanBase> {
    const repository = this.#repository(folder);
    const lender = await this.lender();
    await repository.init(lender);
    await writeFile(join(repository.gitDir, "info", "attributes"), ATTRIBUTES);
    await writeFile(join(repository.gitDir, "info", "exclude"), this.#exclude(project));
    await checkSize(repository, project, join(folder.path, "size.index"));
    const commit = await this.#snapshot(project, folder, []);
    await repository.run(["update-ref", `refs/acumen/base-${commit}`, commit]);
    return { commit, target_ref: null, warnings: [] };
  }

  async reader(project: Project, base: PlanBase, records: PlanRecords): Promise<BaseReader> {
    const folder = await records.ofBase(project, base.commit);
    if (folder === undefined) {
      throw new PlanError(`The snapshot ${base.commit} of ${project.path} is gone.`);
    }
    return new BaseReader(this.#repository(folder), base.commit);
  }

  lender(): Promise<Lender> {
    return Promise.resolve({
      objectFolders: [],
      format: "sha1",
      shallow: undefined,
      exclude: undefined,
    });
  }

  hidden(project: Project): Promise<readonly string[]> {
    return Promise.resolve([project.path]);
  }

  async mergeability(
    { project, base, folder, sandbox }: PlanAt & { readonly sandbox: SandboxRef },
    signal: AbortSignal,
  ): Promise<Mergeability> {
    const live = await this.#snapshot(project, folder, [base.commit], signal);
    const place = { base: base.commit, live, head: `refs/heads/${sandbox.branch}` };
    const { conflicts } = await liveConflicts(this.#repository(folder), project, place, signal);
    return { target_head: null, behind: 0, clean: conflicts.length === 0, conflicts };
  }

  apply(options: ApplyOptions, folder: PlanFolder): Promise<ApplyResult> {
    const { project, base, signal } = options;
    const lock = this.#locks.get(project.path) ?? new Mutex();
    this.#locks.set(project.path, lock);
    const work = new FolderApply(this.#context, this, options, {
      folder,
      repository: this.#repository(folder),
      snapshot: () => this.#snapshot(project, folder, [base.commit], signal),
    });
    return lock.run(() => work.run(), { signal });
  }

  async wasApplied({ folder }: PlanAt): Promise<boolean> {
    const journal = await FolderJournal.open(folder.journal);
    return journal !== undefined && (await journal.finish());
  }

  /** What was not finished is undone: nobody was told that it was applied. */
  async release(projectPath: string, planId: string): Promise<void> {
    const folder = new PlanFolder(this.#context.root, planId);
    const journal = await FolderJournal.open(folder.journal);
    if (journal?.root === projectPath && !journal.isDone) await journal.undo();
  }

  /** What stands in the folder now, as a commit. */
  async #snapshot(
    project: Project,
    folder: PlanFolder,
    parents: readonly string[],
    signal?: AbortSignal,
  ): Promise<string> {
    const repository = this.#repository(folder);
    const known = join(folder.path, "snapshot.index");
    const index = join(folder.path, `${createId()}.index`);
    try {
      // What was staged before is not read again.
      await copyIndex(known, index).catch(() => undefined);
      const place = { work: project.path, index };
      await stageFiles(repository, place, signal);
      const tree = await writeTree(repository, place);
      if (parents.length === 0) await copyIndex(index, known).catch(() => undefined);
      const message = `Snapshot of ${project.path}`;
      return await repository.commit({ tree, parents, message, date: this.#context.clock.now() });
    } finally {
      await rm(index, { force: true });
    }
  }

  /** Our own folder may lie within the project. */
  #exclude({ path }: Project): string {
    const way = relative(path, this.#context.home);
    if (way === "" || way === ".." || way.startsWith(`..${sep}`)) return "";
    return `/${way.replace(/[\\*?[\]!#\s]/g, String.raw`\$&`)}/\n`;
  }

  #repository(folder: PlanFolder): PlanRepository {
    return new PlanRepository(this.#context.git, folder.gitDir);
  }
}

/** @throws BusinessRuleViolation when it is too much to be copied */
async function checkSize(
  repository: PlanRepository,
  { path }: Project,
  index: string,
): Promise<void> {
  const args = ["ls-files", "-z", "--others", "--exclude-standard"];
  const { stdout } = await repository.run(args, { workTree: path, indexFile: index });
  const files = zeroFields(stdout);
  const root = Buffer.from(`${path}/`);
  let bytes = 0;
  for (const [at, name] of files.slice(0, MAX_FILES).entries()) {
    if (at % YIELD === 0) await setImmediate();
    bytes += lstatSync(Buffer.concat([root, name]), { throwIfNoEntry: false })?.size ?? 0;
  }
  if (files.length <= MAX_FILES && bytes <= MAX_BYTES) return;
  throw new BusinessRuleViolation(
    `${path} is too large for a plan (${files.length} files, ${bytes} bytes; at most ${MAX_FILES} files and ${MAX_BYTES} bytes). Make it a git repository, or leave files out with a .gitignore.`,
  );
}
