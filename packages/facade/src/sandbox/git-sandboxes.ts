import { type Clock, type Logger, Mutex, silentLogger, systemClock } from "@acumen/core";
import { mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PlanError } from "../errors/domain-error.ts";
import { GitCommand } from "../git/git-command.ts";
import { AttemptSandbox } from "./attempt-sandbox.ts";
import { type EphemeralPlace, removePlace, takeLeftPlaces } from "./ephemeral-place.ts";
import { FolderSide } from "./folder-side.ts";
import { GitSide } from "./git-side.ts";
import { Isolation } from "./isolation.ts";
import { withLiveTree } from "./live-tree.ts";
import { boundariesOf, makeWorkTree } from "./make-sandbox.ts";
import { type AttemptFolder, branchOf, PlanFolder } from "./plan-folder.ts";
import { PlanRecords } from "./plan-records.ts";
import { type Lender, PlanRepository } from "./plan-repository.ts";
import type { ProjectSide } from "./project-side.ts";
import { readDiff } from "./read-diff.ts";
import { realPlace } from "./real-place.ts";
import type { FaultPoint, SandboxContext } from "./sandbox-context.ts";
import { Trash } from "./trash.ts";
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
} from "./sandboxes.ts";

export interface GitSandboxesOptions {
  /** `$ACUMEN_HOME`, absolute. Sandboxes lie in `<home>/sandboxes/<plan_id>/<attempt>`; where links lead there, their paths are the real ones. */
  readonly home: string;
  /** Below `home`: where sandboxes lie instead, as `<place>/sandboxes/…`. */
  readonly place?: Place;
  /** Of this process. git gets `PATH` of it; validations get what is on the allow list of children. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `auto` (default): bubblewrap where `PATH` has it and it works. */
  readonly isolation?: "auto" | "none";
  /** Hidden from commands beside `HOME` of the environment. Default: what the system says of this user. */
  readonly userHome?: string;
  /** Takes secrets out of the output of validations. */
  readonly redact?: (text: string) => string;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** For tests of crashes. */
  readonly faults?: (point: FaultPoint) => void;
}

type Place = Pick<EphemeralPlace, "path" | "make" | "close">;

interface PlanPlace {
  readonly project: Project;
  readonly base: PlanBase;
  readonly sandbox: SandboxRef;
}

/**
 * Sandboxes as private copies with two git folders: one that whoever works there may do anything with, and one out of its reach, from
 * which alone checkpoints, diffs and merges are made.
 */
export class GitSandboxes implements Sandboxes {
  readonly #options: GitSandboxesOptions;
  readonly #context: SandboxContext;
  readonly #records: PlanRecords;
  /** One at a time: each copies what changed. */
  readonly #live = new Mutex();
  readonly #sides: Readonly<Record<Project["kind"], ProjectSide>>;

  constructor(options: GitSandboxesOptions) {
    const { place, environment, isolation: mode = "auto", userHome, faults } = options;
    const { redact = (text) => text, clock = systemClock, logger = silentLogger } = options;
    // Whoever works in a sandbox names its files by their real paths, and nothing can be mounted at a link.
    const home = realPlace(options.home);
    const root = realPlace(join(place?.path ?? home, "sandboxes"));
    const trashFolder = `${root}.trash`;
    const hidden = [home, root, trashFolder, ...othersIn(home)];
    const git = new GitCommand({ environment });
    const isolation = new Isolation({
      mode,
      environment,
      root,
      hidden,
      logger,
      ...(userHome !== undefined && { userHome }),
    });
    const trash = new Trash(trashFolder, logger);
    const places = { home, root, hidden };
    const shared = { ...places, git, isolation, trash, environment, redact, clock, logger };
    this.#options = options;
    this.#context = { ...shared, ...(faults !== undefined && { faults }) };
    this.#records = new PlanRecords(root);
    this.#sides = {
      "git-checkout": new GitSide(this.#context),
      "fs-directory": new FolderSide(this.#context),
    };
  }

  /**
   * What this machine offers, so that a server can say so when it starts.
   * @throws ConfigurationError for git that is not there, or older than 2.38
   */
  async check(): Promise<{ readonly isolation: "bubblewrap" | "none" }> {
    await this.#context.git.program();
    const found = await this.#context.isolation.bubblewrap();
    return { isolation: found === undefined ? "none" : "bubblewrap" };
  }

  async base(project: Project, planId: string): Promise<PlanBase> {
    const folder = this.#folder(planId);
    await this.#options.place?.make();
    await mkdir(folder.path, { recursive: true, mode: 0o700 });
    // First: a crash must not leave a pin that nobody knows of.
    const known = (await this.#records.read(folder))?.bases ?? [];
    await this.#records.write(folder, project, known);
    const base = await this.#sides[project.kind].base(project, folder);
    await this.#records.write(folder, project, [...new Set([...known, base.commit])]);
    return base;
  }

  async readBase(project: Project, base: PlanBase, path: string): Promise<string | undefined> {
    return (await this.#sides[project.kind].reader(project, base, this.#records)).file(path);
  }

  async listBase(project: Project, base: PlanBase, folder: string): Promise<readonly string[]> {
    return (await this.#sides[project.kind].reader(project, base, this.#records)).paths(folder);
  }

  async create(
    plan: {
      readonly planId: string;
      readonly attempt: number;
      readonly project: Project;
      readonly base: PlanBase;
    },
    signal: AbortSignal,
  ): Promise<Sandbox> {
    const { planId, attempt, project, base } = plan;
    const repository = this.#repository(planId);
    const folder = this.#folder(planId).attempt(attempt);
    const branch = branchOf(planId, attempt);
    const lender = await this.#sides[project.kind].lender(project);
    const facts = { repository, folder, lender, branch, commit: base.commit, signal };
    await makeWorkTree(this.#context, facts);
    await repository.run(["update-ref", `refs/heads/${branch}`, base.commit]);
    return this.#sandbox({ planId, project, folder, attempt, lender });
  }

  async open(plan: PlanPlace & { readonly planId: string }): Promise<Sandbox> {
    const { planId, project, sandbox } = plan;
    const folder = this.#folder(planId).attempt(sandbox.attempt);
    const isThere = await realpath(sandbox.path).then(
      (path) => path === folder.work,
      () => false,
    );
    if (!isThere) throw gone(planId, sandbox);
    await this.#head(planId, sandbox);
    const lender = await this.#sides[project.kind].lender(project);
    return this.#sandbox({ planId, project, folder, attempt: sandbox.attempt, lender });
  }

  async diff({ base, sandbox }: PlanPlace, options: DiffOptions): Promise<SandboxDiff> {
    const planId = basename(dirname(dirname(sandbox.path)));
    const place = { base: base.commit, head: await this.#head(planId, sandbox) };
    const repository = this.#repository(planId);
    if (options.live !== true) return readDiff(repository, place, options);
    const { signal } = options;
    const folder = this.#folder(planId).attempt(sandbox.attempt);
    const read = (lent: PlanRepository, tree: string): Promise<SandboxDiff> =>
      readDiff(lent, { ...place, tree }, options);
    return this.#live.run(() => withLiveTree(repository, folder, signal, read), { signal });
  }

  async mergeability(
    plan: PlanPlace & { readonly planId: string },
    signal: AbortSignal,
  ): Promise<Mergeability> {
    const { planId, project } = plan;
    await this.#head(planId, plan.sandbox);
    const at = { ...plan, folder: this.#folder(planId) };
    return this.#sides[project.kind].mergeability(at, signal);
  }

  async apply(options: ApplyOptions): Promise<ApplyResult> {
    const { planId, project, sandbox } = options;
    await this.#head(planId, sandbox);
    return this.#sides[project.kind].apply(options, this.#folder(planId));
  }

  wasApplied(
    plan: { readonly planId: string; readonly project: Project; readonly base: PlanBase },
    merge: { readonly commit: string | null; readonly target_ref: string | null },
  ): Promise<boolean> {
    const { planId, project } = plan;
    const at = { ...plan, folder: this.#folder(planId) };
    return this.#sides[project.kind].wasApplied(at, merge);
  }

  async remove({
    planId,
    project,
  }: {
    readonly planId: string;
    readonly project: Project;
  }): Promise<void> {
    await this.#remove(this.#folder(planId), project.kind, project.path);
  }

  async sweep(planIds: ReadonlySet<string>): Promise<void> {
    await this.#release(planIds);
    await this.#context.trash.empty();
    const { home } = this.#options;
    try {
      await takeLeftPlaces(home, (path) => this.#at(path).#discard(path));
    } catch (error) {
      const text = "left-overs of a server in memory could not be removed";
      this.#context.logger.warn(text, reasonOf(error));
    }
  }

  /**
   * The end of what lies in a place of its own: pins in the repositories of users, and all files. What cannot be released is kept for a
   * later process to try again.
   */
  async end(): Promise<void> {
    const { place } = this.#options;
    await place?.close();
    if (place !== undefined) await this.#discard(place.path);
  }

  #at(path: string): GitSandboxes {
    const place = { path, make: () => Promise.resolve(), close: () => Promise.resolve() };
    return new GitSandboxes({ ...this.#options, place });
  }

  async #discard(path: string): Promise<void> {
    await this.#release(new Set());
    if ((await this.#records.planIds()).length === 0) await removePlace(path);
  }

  async #release(planIds: ReadonlySet<string>): Promise<void> {
    for (const planId of await this.#records.planIds()) {
      if (planIds.has(planId)) continue;
      try {
        const folder = this.#folder(planId);
        const record = await this.#records.read(folder);
        if (record === undefined) await this.#context.trash.take(folder.path, { wait: false });
        else await this.#remove(folder, record.kind, record.project, false);
      } catch (error) {
        // One that cannot be removed must not keep the others.
        this.#context.logger.warn("left-overs of a plan could not be removed", {
          plan_id: planId,
          ...reasonOf(error),
        });
      }
    }
  }

  async #remove(
    folder: PlanFolder,
    kind: Project["kind"],
    path: string,
    wait = true,
  ): Promise<void> {
    await this.#sides[kind].release(path, folder.planId);
    await this.#context.trash.take(folder.path, { wait });
  }

  async #sandbox(facts: {
    readonly planId: string;
    readonly project: Project;
    readonly folder: AttemptFolder;
    readonly attempt: number;
    readonly lender: Lender;
  }): Promise<Sandbox> {
    const { planId, project, folder, attempt, lender } = facts;
    const side = this.#sides[project.kind];
    const repository = this.#repository(planId);
    const { clock, isolation } = this.#context;
    const place = { project, repository, folder, lender };
    const boundaries = await boundariesOf(this.#context, side, place);
    return new AttemptSandbox({
      repository,
      folder,
      branch: branchOf(planId, attempt),
      attempt,
      bubblewrap: await isolation.bubblewrap(boundaries),
      boundaries,
      clock,
    });
  }

  /** The last commit of an attempt. @throws PlanError when it is gone */
  async #head(planId: string, sandbox: SandboxRef): Promise<string> {
    const known = sandbox.branch === branchOf(planId, sandbox.attempt);
    const head = known
      ? await this.#repository(planId)
          .commitOf(`refs/heads/${sandbox.branch}`)
          .catch(() => undefined)
      : undefined;
    if (head === undefined) throw gone(planId, sandbox);
    return head;
  }

  #folder(planId: string): PlanFolder {
    return new PlanFolder(this.#context.root, planId);
  }

  #repository(planId: string): PlanRepository {
    return new PlanRepository(this.#context.git, this.#folder(planId).gitDir);
  }
}

/** Sandboxes of other servers, where links lead to them. */
function othersIn(home: string): readonly string[] {
  return [realPlace(join(home, "sandboxes")), realPlace(join(home, "ephemeral"))];
}

function reasonOf(error: unknown): { readonly reason: string } {
  return { reason: error instanceof Error ? error.message : String(error) };
}

function gone(planId: string, { attempt }: SandboxRef): PlanError {
  return new PlanError(
    `The sandbox of attempt ${attempt} of plan ${planId} is gone. Retry or revert the plan.`,
    { details: { plan_id: planId, attempt } },
  );
}
