import {
  type AgentSettings,
  type CodingAgent,
  CodingAgentBuilder,
  DEFAULT_SETTINGS,
  MemorySessionStore,
} from "@acumen/agent";
import type { Usage } from "@acumen/models";
import { createScriptedModel, type ScriptStep } from "@acumen/models/testing";
import type { TempFolder } from "@acumen/testkit";
import { mkdir } from "node:fs/promises";
import {
  AgentPlanExecutor,
  type AgentPlanExecutorOptions,
} from "../../src/executor/agent-plan-executor.ts";
import type { ExecutorEvent, ExecutorRun } from "../../src/plans/plan-executor.ts";
import type { Plan } from "../../src/plans/plan.ts";
import type { Sandbox } from "../../src/sandbox/sandboxes.ts";
import { planAt } from "./plan-at.ts";

type Question = Parameters<ExecutorRun["approve"]>[0];
type Answer = Awaited<ReturnType<ExecutorRun["approve"]>>;

export interface ExecutorBenchOptions {
  readonly folder: TempFolder;
  readonly steps?: readonly Partial<ScriptStep>[];
  /** Steps per phase, instead of `steps`. */
  readonly phases?: Readonly<Record<string, { readonly steps: readonly Partial<ScriptStep>[] }>>;
  readonly isolation?: "bubblewrap" | "none";
  readonly plan?: Partial<Plan>;
  readonly settings?: Partial<AgentSettings>;
  readonly answer?: Answer;
  readonly executor?: Partial<AgentPlanExecutorOptions>;
}

/** The executor with a real coding agent in a real folder, and a scripted model. */
export class ExecutorBench {
  readonly events: ExecutorEvent[] = [];
  readonly questions: Question[] = [];
  readonly wrapped: string[] = [];
  readonly spent: Usage[] = [];
  readonly controller = new AbortController();
  readonly executor: AgentPlanExecutor;
  readonly agent: CodingAgent;
  readonly #options: ExecutorBenchOptions;
  readonly #path: string;

  private constructor(options: ExecutorBenchOptions, path: string) {
    const { folder, steps = [], phases, settings } = options;
    this.#options = options;
    this.#path = path;
    const model = createScriptedModel(phases === undefined ? { steps } : { phases });
    this.agent = new CodingAgentBuilder({
      home: folder.join("home"),
      store: new MemorySessionStore(),
      resolveModel: () => Promise.resolve(model),
      settingsFor: () => Promise.resolve({ ...DEFAULT_SETTINGS, ...settings }),
      environment: { PATH: process.env["PATH"] },
    }).build();
    this.executor = new AgentPlanExecutor({
      agentFor: () => this.agent,
      models: { strategy: "scripted/inline", execution: "scripted/inline" },
      ...options.executor,
    });
  }

  static async open(options: ExecutorBenchOptions): Promise<ExecutorBench> {
    const path = options.folder.join("sandbox");
    await mkdir(path, { recursive: true });
    return new ExecutorBench(options, path);
  }

  run(phase: "strategize" | "execute"): ExecutorRun {
    const { isolation = "bubblewrap", plan, answer } = this.#options;
    const sandbox: Sandbox = {
      path: this.#path,
      branch: "attempt-1",
      attempt: 1,
      isolation,
      wrap: (command) => {
        this.wrapped.push(`${command.file} network=${command.network}`);
        return command;
      },
      checkpoint: () => Promise.resolve("head"),
    };
    return {
      plan: planAt(`${phase}/processing`, plan),
      sandbox,
      signal: this.controller.signal,
      event: (event) => {
        this.events.push(event);
        return Promise.resolve();
      },
      spent: (usage) => {
        this.spent.push(usage);
      },
      approve: (question) => {
        this.questions.push(question);
        return Promise.resolve(answer ?? "reject_once");
      },
    };
  }

  eventTypes(): readonly string[] {
    return this.events.map(({ event_type }) => event_type);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.agent.close();
  }
}
