import {
  type CodingAgent,
  CodingAgentBuilder,
  DEFAULT_SETTINGS,
  McpConfigManager,
  MemorySessionStore,
  WorkspaceTrust,
} from "@acumen/agent";
import { createScriptedModel, type ScriptStep } from "@acumen/models/testing";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import {
  createLocalServices,
  type LocalServices,
  type LocalServicesOptions,
} from "../../src/dispatch/local-services.ts";
import type { Principal } from "../../src/access/principal.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import {
  AgentPlanExecutor,
  type AgentPlanExecutorOptions,
} from "../../src/executor/agent-plan-executor.ts";
import type { Plan } from "../../src/plans/plan.ts";
import { isSettled } from "../../src/plans/waiting.ts";
import { type GitProject, gitProjectIn } from "./git-project.ts";
import { callerOf } from "./plan-bench.ts";

/** Not below /tmp, of which a confined command sees nothing anyway. */
const ROOT = fileURLToPath(new URL("../../../../node_modules/.cache/", import.meta.url));

export interface AgentWorldOptions extends Pick<
  LocalServicesOptions,
  "isolation" | "store" | "after" | "clock"
> {
  readonly files?: Readonly<Record<string, string>>;
  /** What the model says when it executes; of the strategy it says one sentence. */
  readonly steps: readonly Partial<ScriptStep>[];
  readonly mcpServers?: (world: Places) => Readonly<Record<string, unknown>>;
  readonly allowUnisolated?: boolean;
  readonly allow?: readonly string[];
  readonly executor?: Partial<AgentPlanExecutorOptions>;
  /** How the folders are reached. Default: by their real paths. */
  readonly linked?: Linked;
  /** Of an earlier world, which takes them away. Default: new ones. */
  readonly places?: Places;
}

/** Through a link each, or through one link that holds them all. */
type Linked = "folders" | "parent";

export interface Places {
  readonly folder: string;
  /** `$ACUMEN_HOME`. */
  readonly home: string;
  /** `$HOME` of the user. */
  readonly user: string;
  readonly project: GitProject;
}

/** Plans with everything real, the model excepted: repository, clones, isolation, coding agent, MCP servers, dispatch. */
export class AgentWorld implements AsyncDisposable {
  readonly places: Places;
  readonly facade: AcpLocalFacade;
  readonly local: LocalServices;
  readonly #agent: CodingAgent;

  private constructor(places: Places, local: LocalServices, agent: CodingAgent) {
    this.places = places;
    this.local = local;
    this.#agent = agent;
    this.facade = new AcpLocalFacade({ services: local.services, store: local.store });
  }

  static async open(options: AgentWorldOptions): Promise<AgentWorld> {
    const places = options.places ?? (await placesWith(options.files, options.linked));
    const { home, user, project } = places;
    const { isolation = "auto", store, after, clock, allowUnisolated = false } = options;
    const environment = { PATH: process.env["PATH"], HOME: user };
    const trust = new WorkspaceTrust({ home, environment });
    const { permissions } = DEFAULT_SETTINGS;
    const phases = {
      strategize: { steps: [{ text: "Do it." }] },
      execute: { steps: options.steps },
    };
    const model = createScriptedModel({ phases });
    const agent = new CodingAgentBuilder({
      home,
      store: new MemorySessionStore(),
      resolveModel: async () => model,
      settingsFor: async () => ({
        ...DEFAULT_SETTINGS,
        permissions: { ...permissions, allow: [...(options.allow ?? [])] },
      }),
      environment,
      mcp: new McpConfigManager({ home, environment, trust }),
    }).build();
    const servers = options.mcpServers?.(places) ?? {};
    const local = createLocalServices({
      projects: [project.path],
      home,
      environment,
      // These tests may lie in the home of whoever runs them.
      userHome: user,
      isolation,
      isTrusted: async () => true,
      executor: new AgentPlanExecutor({
        agentFor: () => agent,
        models: { strategy: "scripted/inline", execution: "scripted/inline" },
        mcpServersFor: async () => servers,
        allowUnisolated,
        ...options.executor,
      }),
      settings: { allowUnisolated },
      ...(store !== undefined && { store }),
      ...(after !== undefined && { after }),
      ...(clock !== undefined && { clock }),
    });
    return new AgentWorld(places, local, agent);
  }

  /** @throws Error for an answer that is none of success */
  async ask(operation: string, params: object = {}, principal?: Principal): Promise<JsonObject> {
    const request = { operation, params: params as JsonObject };
    const { data, error } = await this.facade.dispatch(request, {
      ...(principal !== undefined && { principal }),
    });
    if (error !== null) throw new Error(`${error.code}: ${error.message}`);
    return data;
  }

  /** A plan that goes on until it needs somebody. @returns its id */
  async begin(params: object = {}, principal?: Principal): Promise<string> {
    const task = { action_name: "builtin/task", arguments: { prompt: "Do it." } };
    const plan = await this.ask("plan.create", { ...task, ...params }, principal);
    const id = plan["plan_id"] as string;
    await this.ask("plan.execute", { plan_id: id });
    return id;
  }

  plan(id: string): Promise<Plan> {
    return this.local.plans.getPlan(id, callerOf());
  }

  async until(id: string, isWanted: (plan: Plan) => boolean = isSettled): Promise<Plan> {
    for (;;) {
      const plan = await this.plan(id);
      if (isWanted(plan)) return plan;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.local.plans.close();
    await this.local.close();
    await this.#agent.close();
    await this.local.queue.close();
    await rm(this.places.folder, { recursive: true, force: true });
  }
}

async function placesWith(files: AgentWorldOptions["files"], linked?: Linked): Promise<Places> {
  await mkdir(ROOT, { recursive: true });
  const folder = await realpath(await mkdtemp(join(ROOT, "acumen-world-")));
  const names = ["acumen-home", "user", "project"] as const;
  const real = join(folder, "real");
  const parent = linked === undefined ? folder : real;
  for (const name of names) await mkdir(join(parent, name), { recursive: true });
  await writeFile(join(parent, "acumen-home", "tokens.json"), "secret");
  await writeFile(join(parent, "user", "id_rsa"), "secret");
  const link = join(folder, "link");
  if (linked === "parent") await symlink(real, link);
  if (linked === "folders") {
    await mkdir(link);
    for (const name of names) await symlink(join(real, name), join(link, name));
  }
  const seen = linked === undefined ? folder : link;
  const [home, user, repository] = names.map((name) => join(seen, name)) as [
    string,
    string,
    string,
  ];
  return { folder, home, user, project: gitProjectIn(repository, files) };
}
