import { FakeClock } from "@acumen/testkit";
import type { Caller } from "../../src/access/caller.ts";
import { LOCAL_PRINCIPAL, type Principal } from "../../src/access/principal.ts";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { ResourceNotFoundError } from "../../src/errors/domain-error.ts";
import type { PlanExecutor } from "../../src/plans/plan-executor.ts";
import { PlanLifecycle, type PlanLifecycleOptions } from "../../src/plans/plan-lifecycle.ts";
import type { Plan } from "../../src/plans/plan.ts";
import { isSettled } from "../../src/plans/waiting.ts";
import type { Project } from "../../src/sandbox/sandboxes.ts";
import type { Action } from "../../src/services/action-registry.ts";
import type { UseActionInput } from "../../src/services/plan-lifecycle-service.ts";
import type { FacadeSession } from "../../src/sessions/facade-session.ts";
import type { FacadeStore, StoreChange } from "../../src/store/facade-store.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { MemorySandboxes } from "./memory-sandboxes.ts";
import { ScriptedExecutor } from "./scripted-executor.ts";

export const PROJECT: Project = {
  path: "/projects/shop",
  name: "local/shop",
  kind: "git-checkout",
  trusted: true,
};

export const TASK: Action = {
  name: "builtin/task",
  description: "Does a task.",
  arguments: {
    type: "object",
    properties: { prompt: { type: "string", minLength: 1 } },
    required: ["prompt"],
    additionalProperties: false,
  },
  definition_of_done: null,
  validations: [],
  profile: null,
  body: "Do this: {{prompt}}",
  source: "builtin",
  digest: "0".repeat(64),
};

export function callerOf(principal: Principal = LOCAL_PRINCIPAL, signal?: AbortSignal): Caller {
  return { principal, requestId: "test", signal: signal ?? new AbortController().signal };
}

export interface BenchOptions {
  readonly store?: FacadeStore;
  readonly sandboxes?: MemorySandboxes;
  readonly executor?: PlanExecutor | "none";
  readonly settings?: PlanLifecycleOptions["settings"];
  readonly projects?: readonly Project[];
  /** Default: those of `sessions`. */
  readonly sessionService?: PlanLifecycleOptions["sessions"];
  /** Called before each write; may throw. */
  readonly beforeCommit?: (change: StoreChange) => Promise<void> | void;
}

/** The plan service on maps: everything real but projects, copies and the executor. */
export class PlanBench {
  readonly store: FacadeStore;
  readonly queue: AcpEventQueue;
  readonly sandboxes: MemorySandboxes;
  readonly executor = new ScriptedExecutor();
  readonly clock = new FakeClock();
  readonly timers: { readonly ms: number; readonly ring: () => void }[] = [];
  readonly actions = new Map<string, Action>([[TASK.name, TASK]]);
  readonly sessions = new Map<string, FacadeSession>();
  readonly logged: string[] = [];
  projects: readonly Project[];
  readonly plans: PlanLifecycle;

  constructor(options: BenchOptions = {}) {
    this.store = options.store ?? new MemoryFacadeStore({ clock: this.clock });
    this.queue = new AcpEventQueue({ store: this.store, clock: this.clock });
    this.sandboxes = options.sandboxes ?? new MemorySandboxes();
    this.projects = options.projects ?? [PROJECT];
    for (const project of this.projects) {
      if (this.sandboxes.head(project) === undefined) {
        this.sandboxes.commit(project, { "README.md": "shop" });
      }
    }
    this.executor.work = ({ sandbox }) => {
      this.sandboxes.write(sandbox, "new.txt", "new");
      return Promise.resolve();
    };
    const log = (text: string, fields?: object): void => {
      this.logged.push(`${text} ${JSON.stringify(fields)}`);
    };
    const { executor = this.executor, settings, beforeCommit } = options;
    this.plans = new PlanLifecycle({
      store: this.store,
      queue: {
        commit: async (change) => {
          await beforeCommit?.(change);
          return this.queue.commit(change);
        },
      },
      projects: { list: () => Promise.resolve(this.projects), find: (name) => this.#find(name) },
      actions: { atBase: (name) => this.#action(name) },
      sandboxes: this.sandboxes,
      ...(executor !== "none" && { executor }),
      sessions: options.sessionService ?? { get: (id) => this.#session(id) },
      ...(settings !== undefined && { settings }),
      clock: this.clock,
      after: (ms, ring) => this.#after(ms, ring),
      logger: { debug: log, info: log, warn: log, error: log },
    });
  }

  create(input: Partial<UseActionInput> = {}, principal?: Principal): Promise<Plan> {
    return this.plans.useAction(
      { action_name: "builtin/task", arguments: { prompt: "write a file" }, ...input },
      callerOf(principal),
    );
  }

  execute(planId: string, retry = false): Promise<Plan> {
    return this.plans
      .executePlan(planId, { retry, waitMs: 0 }, callerOf())
      .then(({ plan }) => plan);
  }

  apply(planId: string): Promise<Plan> {
    const options = { expected_digest: null, expected_target_head: null, message: null };
    return this.plans
      .applyPlan(planId, { ...options, waitMs: 0, dryRun: false }, callerOf())
      .then(({ plan }) => plan);
  }

  plan(planId: string): Promise<Plan> {
    return this.plans.getPlan(planId, callerOf());
  }

  /** Until nothing happens to it without a call. */
  async settled(planId: string): Promise<Plan> {
    return this.until(planId, isSettled);
  }

  async until(planId: string, isWanted: (plan: Plan) => boolean): Promise<Plan> {
    for (;;) {
      const plan = await this.plan(planId);
      if (isWanted(plan)) return plan;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** A plan that was executed, and waits for apply. */
  async executed(input: Partial<UseActionInput> = {}): Promise<Plan> {
    const { plan_id } = await this.create(input);
    await this.execute(plan_id);
    return this.settled(plan_id);
  }

  async events(planId: string): Promise<readonly AcpEvent[]> {
    const query = { owner: "local", limit: 1000, planId };
    return (await this.store.events(query)).events;
  }

  async eventTypes(planId: string): Promise<readonly string[]> {
    return (await this.events(planId)).map(({ event_type }) => event_type);
  }

  /** Lets the timers of at least so many ms ring. */
  ring(ms: number): void {
    for (const timer of this.timers.filter((one) => one.ms >= ms)) {
      this.timers.splice(this.timers.indexOf(timer), 1);
      timer.ring();
    }
  }

  #after(ms: number, ring: () => void): () => void {
    const timer = { ms, ring };
    this.timers.push(timer);
    return () => {
      const index = this.timers.indexOf(timer);
      if (index >= 0) this.timers.splice(index, 1);
    };
  }

  #find(name: string | undefined): Promise<Project> {
    const found = this.projects.find(
      (project) => name === undefined || project.path === name || project.name === name,
    );
    return found === undefined
      ? Promise.reject(new ResourceNotFoundError(`No project ${name}.`))
      : Promise.resolve(found);
  }

  #action(name: string): Promise<Action> {
    const action = this.actions.get(name);
    return action === undefined
      ? Promise.reject(new ResourceNotFoundError(`No action ${name}.`))
      : Promise.resolve(action);
  }

  #session(id: string): Promise<FacadeSession> {
    const session = this.sessions.get(id);
    return session === undefined
      ? Promise.reject(new ResourceNotFoundError(`No session ${id}.`))
      : Promise.resolve(session);
  }
}
