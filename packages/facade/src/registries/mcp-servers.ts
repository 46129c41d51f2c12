import {
  type DefinedMcpServer,
  McpRuntimeManager,
  type McpConfigSource,
  type McpRuntimeOptions,
  type McpServerStatus,
  type ExposedTool,
} from "@acumen/agent";
import { type Clock, type Logger, silentLogger, throwIfAborted } from "@acumen/core";
import type { Project } from "../sandbox/sandboxes.ts";
import type { ListedServer } from "../services/registries.ts";

/** Which servers this machine defines, and which of them a project chose; the agent's `McpConfigManager` is one. */
export interface McpDefinitions {
  sourceFor(workspace: { readonly cwd: string }): McpConfigSource;
  definitions(): Promise<{ readonly servers: readonly DefinedMcpServer[] }>;
}

export interface McpServersOptions extends Pick<
  McpRuntimeOptions,
  "environment" | "redact" | "outputFolder" | "open" | "wrap"
> {
  readonly definitions: McpDefinitions;
  /** How long a list waits for servers, ms. Default 2,000. */
  readonly waitMs?: number;
  /** Connections that nobody asked for so long are closed, ms. Default 5 minutes. */
  readonly idleMs?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

export interface ServedTools {
  readonly tools: readonly ExposedTool[];
  readonly servers: readonly ListedServer[];
}

interface Running {
  readonly manager: McpRuntimeManager;
  idle: NodeJS.Timeout | undefined;
  /** Requests that wait for it now. */
  users: number;
}

const WAIT_MS = 2_000;
/** Of one project that are listed. */
const MOST_TOOLS = 100_000;
const IDLE_MS = 5 * 60_000;

/** The MCP servers that trusted projects chose: connected when somebody asks, closed when nobody does any more. */
export class McpServers {
  readonly #options: McpServersOptions;
  readonly #running = new Map<string, Running>();
  /** Those that nobody asked for any more, until their processes are gone. Never rejects. */
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: McpServersOptions) {
    this.#options = options;
  }

  get definitions(): McpDefinitions {
    return this.#options.definitions;
  }

  /** Waits a bounded time for servers that connect; those that are not there yet have a state. @throws the abort's error */
  async of(project: Project, signal: AbortSignal): Promise<ServedTools> {
    throwIfAborted(signal);
    if (!project.trusted || this.#isClosed) return this.#unstarted(project);
    const running = this.#started(project);
    clearTimeout(running.idle);
    running.users += 1;
    try {
      await running.manager.ready(signal);
      const servers = running.manager.status().filter(({ enabled }) => enabled);
      return { tools: running.manager.tools(), servers: servers.map((one) => shown(one, project)) };
    } finally {
      running.users -= 1;
      if (running.users === 0) this.#closeWhenIdle(project, running);
    }
  }

  /** Every server of these ends; none is started afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#running.values()];
    this.#running.clear();
    for (const { idle } of all) clearTimeout(idle);
    for (const running of all) this.#end(running);
    await Promise.all(this.#ending);
  }

  /** What the project would have, if it were trusted. */
  async #unstarted(project: Project): Promise<ServedTools> {
    const { servers } = await this.definitions.sourceFor({ cwd: project.path }).resolve();
    const reason = project.trusted
      ? "The registry is closed, so no server is started."
      : "The project is not trusted, so none of its servers is started.";
    return {
      tools: [],
      servers: servers
        .filter(({ enabled }) => enabled)
        .map(({ name, disabledReason }) => ({
          name,
          state: "disabled",
          reason: disabledReason ?? reason,
          project: project.name,
        })),
    };
  }

  #started(project: Project): Running {
    const known = this.#running.get(project.path);
    if (known !== undefined) return known;
    const { definitions, waitMs = WAIT_MS, idleMs: _, ...rest } = this.#options;
    const source = definitions.sourceFor({ cwd: project.path });
    const manager = new McpRuntimeManager({
      ...rest,
      source,
      cwd: project.path,
      wait: waitMs,
      // No model is given them all here.
      room: () => MOST_TOOLS,
    });
    const running: Running = { manager, idle: undefined, users: 0 };
    this.#running.set(project.path, running);
    manager.start();
    return running;
  }

  #closeWhenIdle(project: Project, running: Running): void {
    if (this.#isClosed) return;
    running.idle = setTimeout(() => {
      this.#running.delete(project.path);
      this.#end(running);
    }, this.#options.idleMs ?? IDLE_MS);
    running.idle.unref();
  }

  #end({ manager }: Running): void {
    const { logger = silentLogger } = this.#options;
    const ending = manager
      .close()
      .catch((error: unknown) => {
        logger.warn("MCP servers of a project did not close", { error });
      })
      .finally(() => {
        this.#ending.delete(ending);
      });
    this.#ending.add(ending);
  }
}

function shown({ server, state, reason }: McpServerStatus, { name }: Project): ListedServer {
  return { name: server, state, reason: reason ?? null, project: name };
}
