import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NO_USAGE } from "@acumen/models";
import { BUILTIN_ACTIONS } from "../../src/actions/builtin-actions.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { ResourceNotFoundError } from "../../src/errors/domain-error.ts";
import { PlanLifecycle } from "../../src/plans/plan-lifecycle.ts";
import { GitSandboxes } from "../../src/sandbox/git-sandboxes.ts";
import type { Project, Sandboxes } from "../../src/sandbox/sandboxes.ts";
import type { FacadeStore } from "../../src/store/facade-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

export interface EngineOptions {
  readonly home: string;
  readonly project: Project;
  /** Called at each moment at which a process may die. */
  readonly passed: (moment: string) => void;
}

export interface RealEngine {
  readonly plans: PlanLifecycle;
  readonly store: FacadeStore;
  close(): Promise<void>;
}

/** The plan service on a database and a repository; only who does the work is played. */
export async function openEngine({ home, project, passed }: EngineOptions): Promise<RealEngine> {
  await mkdir(home, { recursive: true });
  const store = await openSqliteStore(join(home, "acumen.db"));
  const queue = new AcpEventQueue({ store });
  const sandboxes = new GitSandboxes({
    home,
    environment: { PATH: process.env["PATH"] },
    isolation: "none",
    faults: passed,
  });
  const plans = new PlanLifecycle({
    store,
    queue: {
      commit: async (change) => {
        const what = change.events?.drafts.map(({ event_type }) => event_type).join(" ") ?? "";
        passed(`before commit ${what}`);
        const committed = await queue.commit(change);
        passed(`after commit ${what}`);
        return committed;
      },
    },
    projects: { list: () => Promise.resolve([project]), find: () => Promise.resolve(project) },
    actions: {
      atBase: (name) => {
        const action = BUILTIN_ACTIONS.find((one) => one.name === name);
        if (action === undefined) throw new ResourceNotFoundError(name);
        return Promise.resolve(action);
      },
    },
    sandboxes: watched(sandboxes, passed),
    executor: {
      strategize: () => {
        passed("strategize");
        return Promise.resolve({ rationale: "Why.", steps: [], usage: NO_USAGE });
      },
      execute: async ({ sandbox }) => {
        const half = join(sandbox.path, "half.txt");
        const isLeft = await stat(half).then(
          () => true,
          () => false,
        );
        if (isLeft) throw new Error("An earlier run left its work here.");
        passed("execute begins");
        await writeFile(half, "half");
        passed("execute is half done");
        await rm(half);
        await writeFile(join(sandbox.path, "new.txt"), "new\n");
        passed("execute is done");
        return { summary: "Done.", usage: NO_USAGE };
      },
    },
    sessions: {},
  });
  return {
    plans,
    store,
    close: async () => {
      await plans.close();
      await queue.close();
      await store.close();
    },
  };
}

/** The steps of a sandbox are moments too. */
function watched(sandboxes: GitSandboxes, passed: (moment: string) => void): Sandboxes {
  const around = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    passed(`before ${name}`);
    return work().then((result) => {
      passed(`after ${name}`);
      return result;
    });
  };
  return {
    base: (project, planId) => around("base", () => sandboxes.base(project, planId)),
    readBase: (...args) => sandboxes.readBase(...args),
    listBase: (...args) => sandboxes.listBase(...args),
    create: (plan, signal) => around("create", () => sandboxes.create(plan, signal)),
    open: (plan) => sandboxes.open(plan),
    diff: (plan, options) => around("diff", () => sandboxes.diff(plan, options)),
    mergeability: (plan, signal) => sandboxes.mergeability(plan, signal),
    apply: (options) => around("apply", () => sandboxes.apply(options)),
    wasApplied: (plan, merge) => sandboxes.wasApplied(plan, merge),
    remove: (plan) => around("remove", () => sandboxes.remove(plan)),
    sweep: (planIds) => sandboxes.sweep(planIds),
  };
}
