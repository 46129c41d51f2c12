import {
  type Clock,
  type Logger,
  Mutex,
  silentLogger,
  systemClock,
  untilAborted,
} from "@acumen/core";
import type { McpHost } from "../agent/agent-options.ts";
import { agentError } from "../errors.ts";
import { childEnvironment } from "../process/child-environment.ts";
import { ProcessGuard } from "../process/process-guard.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { WrapCommand } from "../tools/operations.ts";
import { RESERVED_TOOL_NAMES } from "../tools/reserved-names.ts";
import { type ExposedTool, MAX_TOOLS } from "../tools/tool-registry.ts";
import type { ToolSource } from "../tools/tool-source.ts";
import type {
  McpConfigSource,
  ResolvedMcpConfig,
  ResolvedMcpServer,
} from "./config/resolved-config.ts";
import { McpConnectionHandle } from "./connection/mcp-connection-handle.ts";
import { openConnection } from "./connection/open-connection.ts";
import type { RestartRules } from "./connection/restart-backoff.ts";
import type { McpServerStatus, McpStatusChange } from "./mcp-status.ts";
import { absentText } from "./absent-tool.ts";
import { ExposedTools, type NamedTool } from "./exposed-tools.ts";
import { readOfferedTools } from "./offered-tools.ts";
import { statusOf } from "./server-status.ts";
import { StatusReports } from "./status-reports.ts";
import { statusText } from "./status-text.ts";
import { cleanServerText } from "./tools/clean-server-text.ts";

export interface McpRuntimeOptions {
  readonly source: McpConfigSource;
  /** Absolute: where servers run that name no folder of their own. */
  readonly cwd: string;
  /** Folders that servers are told of when they ask; absolute. Default: `cwd` alone. */
  readonly roots?: readonly string[];
  /** Of this process: children get the safe names of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What is started instead of the program of a server. */
  readonly wrap?: WrapCommand;
  /** Learns the secrets of every server before that starts. */
  readonly redact: Redactor;
  /** Absolute path of an existing folder for whole results of calls. */
  readonly outputFolder: () => Promise<string>;
  /** What {@link McpRuntimeManager.ready} waits for. Default 2,000 ms. */
  readonly wait?: NonNullable<McpHost["wait"]>;
  /** Told of every change of a state, in order. A failure is logged. */
  readonly report?: (change: McpStatusChange) => Promise<unknown>;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly open?: typeof openConnection;
  readonly restarts?: RestartRules;
  /** How many tools of servers a model can be given; may change. Default: what built-in tools leave of {@link MAX_TOOLS}. */
  readonly room?: () => number;
  /** Names that a model saw in an earlier part of the session, and whose they were. */
  readonly seen?: ReadonlyMap<string, NamedTool>;
  /** How often it looks whether files have changed, ms. */
  readonly pollMs?: number;
}

const DEFAULT_WAIT_MS = 2_000;
const POLL_MS = 1_000;
/** How long closing may take, ms. */
const CLOSE_MS = 2_000;
/** A timer holds no more. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_INSTRUCTION_BYTES = 4_096;
const NO_FILES = { machine: "", workspace: "" } as const;

/** The MCP servers of one session: each is started, watched, listed, named and closed by itself. */
export class McpRuntimeManager implements ToolSource {
  readonly #options: McpRuntimeOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #guard = new ProcessGuard();
  readonly #reports: StatusReports;
  /** Every server that was ever seen: one that comes back finds what it has to wait for. */
  readonly #handles = new Map<string, McpConnectionHandle>();
  readonly #exposed: ExposedTools;
  readonly #paused = new Set<string>();
  readonly #reloads = new Mutex();
  readonly #watchers = new Set<(problem: string) => void>();
  #config: ResolvedMcpConfig = { servers: [], files: NO_FILES, problems: [] };
  #stamp: string | undefined;
  #poll: NodeJS.Timeout | undefined;
  #isLooking = false;
  #startedAt = 0;
  /** Every server of the start has connected or failed. */
  #settled: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(options: McpRuntimeOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#reports = new StatusReports(this.#logger, options.report);
    const { room = () => MAX_TOOLS - RESERVED_TOOL_NAMES.length, seen = new Map() } = options;
    this.#exposed = new ExposedTools(this.#handles, room, seen);
  }

  /** Empty before the first look. */
  get files(): ResolvedMcpConfig["files"] {
    return this.#config.files;
  }

  /** Files that cannot be read, each with its place. */
  get problems(): readonly string[] {
    return this.#config.problems.map((problem) => this.#safe(problem));
  }

  /**
   * Tells of every problem of the files, of those that are there first; once as long as it lasts. Not after the close.
   * @returns ends it
   */
  watchProblems(listener: (problem: string) => void): () => void {
    const watcher = (problem: string): void => listener(problem);
    this.#watchers.add(watcher);
    this.problems.forEach(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Begins to connect in the background; once. */
  start(): void {
    if (this.#closing !== undefined || this.#poll !== undefined) return;
    this.#startedAt = this.#clock.monotonicMs();
    this.#settled = this.reload().then(() =>
      Promise.all(this.#shown().map((handle) => handle.settled())),
    );
    this.#poll = setInterval(() => void this.#look(), this.#options.pollMs ?? POLL_MS);
    this.#poll.unref();
  }

  /** @throws the abort's error */
  async ready(signal: AbortSignal): Promise<void> {
    const wait = this.#options.wait ?? DEFAULT_WAIT_MS;
    if (wait === "settled") return void (await untilAborted(this.#settled, signal));
    const left = wait - (this.#clock.monotonicMs() - this.#startedAt);
    if (left <= 0) return;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(left, MAX_TIMER_MS));
    });
    try {
      await untilAborted(Promise.race([this.#settled, enough]), signal);
    } finally {
      clearTimeout(timer);
    }
  }

  tools(): readonly ExposedTool[] {
    return this.#exposed.give();
  }

  /** In the order of the configuration. */
  status(): readonly McpServerStatus[] {
    return this.#shown().map((handle) => {
      const { name } = handle.server;
      return statusOf(handle, {
        paused: this.#paused.has(name),
        toolCount: this.#exposed.of(name).length,
        conflicts: this.#exposed.conflictsOf(name),
        quarantined: this.#exposed.quarantinedOf(name),
        safe: (text) => this.#safe(text),
      });
    });
  }

  /** What connected servers say about themselves: cleaned, without secrets, at most 4 kB each. */
  instructions(): readonly { readonly server: string; readonly text: string }[] {
    return this.#shown().flatMap(({ server: { name }, instructions = "" }) => {
      const text = cleanServerText(instructions, MAX_INSTRUCTION_BYTES, this.#options.redact);
      return text === "" ? [] : [{ server: name, text }];
    });
  }

  /** Looks at the files now, whether or not they have changed. */
  reload(): Promise<void> {
    return this.#reloads.run(() => this.#read());
  }

  /**
   * For this session, until it is resumed. Resolves when the server is gone.
   * @throws AGENT_MCP_SERVER_UNKNOWN, AGENT_MCP_SERVER_NOT_ENABLED
   */
  async pause(name: string): Promise<void> {
    const handle = await this.#enabled(name);
    this.#paused.add(name);
    this.#follow(handle, handle.server);
    await handle.gone();
  }

  /**
   * Resolves when the server has connected or failed.
   * @throws AGENT_MCP_SERVER_UNKNOWN, AGENT_MCP_SERVER_NOT_ENABLED
   */
  async resume(name: string): Promise<void> {
    const handle = await this.#enabled(name);
    this.#paused.delete(name);
    this.#follow(handle, handle.server);
    await handle.settled();
  }

  /**
   * Connects anew, also one that works, is paused, or was given up. Resolves when the server has connected or failed.
   * @throws AGENT_MCP_SERVER_UNKNOWN, AGENT_MCP_SERVER_NOT_ENABLED
   */
  async retry(name: string): Promise<void> {
    const handle = await this.#enabled(name);
    if (this.#paused.delete(name)) this.#follow(handle, handle.server);
    else handle.retry();
    await handle.settled();
  }

  quarantine(exposedName: string, reason: string): boolean {
    const found = this.#exposed.quarantine(exposedName, this.#safe(reason));
    if (found === undefined) return false;
    const { server, raw: tool } = found;
    this.#logger.warn("a tool of an MCP server is left out", { server, tool: this.#safe(tool) });
    return true;
  }

  explain(exposedName: string): string | undefined {
    const seen = this.#exposed.seen(exposedName);
    if (seen === undefined) return undefined;
    const { server, raw } = seen;
    const now = this.#exposed.of(server).find((tool) => tool.raw === raw);
    const status = this.status().find((one) => one.server === server);
    return absentText(
      {
        exposedName,
        server: this.#safe(server),
        tool: this.#safe(raw),
        ...(now !== undefined && { nowCalled: now.exposedName }),
      },
      status,
    );
  }

  /** Nothing runs any more when this resolves, within two seconds; nothing is told and nothing starts afterwards. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#poll);
    const handles = [...this.#handles.values()].map((handle) => handle.close());
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([Promise.all([...handles, this.#reports.close()]), limit]);
    clearTimeout(timer);
    this.#guard.close();
  }

  /** Servers that are configured now, in their order. */
  #shown(): readonly McpConnectionHandle[] {
    return this.#config.servers.flatMap(({ name }) => this.#handles.get(name) ?? []);
  }

  async #enabled(name: string): Promise<McpConnectionHandle> {
    await this.reload();
    const handle = this.#shown().find(({ server }) => server.name === name);
    const details = { server: name };
    if (handle === undefined) {
      const names = this.#config.servers.map((server) => server.name).join(", ");
      throw agentError(
        "AGENT_MCP_SERVER_UNKNOWN",
        this.#safe(`There is no MCP server ${JSON.stringify(name)}. Known: ${names || "none"}.`),
        { details },
      );
    }
    const { enabled, disabledReason } = handle.server;
    if (enabled && disabledReason === undefined) return handle;
    throw agentError(
      "AGENT_MCP_SERVER_NOT_ENABLED",
      this.#safe(
        `The MCP server ${name} is not enabled in this workspace. ${disabledReason ?? `Enable it with \`acumen mcp enable ${name}\`.`}`,
      ),
      { details },
    );
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      if ((await this.#options.source.stamp()) !== this.#stamp) await this.reload();
    } catch {
      this.#logger.warn("the configuration of MCP servers could not be looked at");
    } finally {
      this.#isLooking = false;
    }
  }

  /** Never rejects: whatever goes wrong leaves the servers as they are. */
  async #read(): Promise<void> {
    if (this.#closing !== undefined) return;
    const { source, redact } = this.#options;
    try {
      // A change in between is seen at the next look.
      const stamp = await source.stamp();
      const config = await source.resolve();
      this.#stamp = stamp;
      redact.hide(config.servers.flatMap(({ secrets }) => secrets));
      this.#apply(config);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#logger.warn("the configuration of MCP servers could not be read", {
        reason: this.#safe(reason),
      });
    }
  }

  #apply(config: ResolvedMcpConfig): void {
    if (this.#closing !== undefined) return;
    const names = new Set(config.servers.map(({ name }) => name));
    const gone = this.#config.servers.filter(({ name }) => !names.has(name));
    const before = new Set(this.#config.problems);
    this.#config = config;
    this.#exposed.follow(config.servers.filter(isToRun).map(({ name }) => name));
    for (const server of gone) {
      const handle = this.#handles.get(server.name);
      this.#paused.delete(server.name);
      if (handle !== undefined) this.#follow(handle, { ...server, enabled: false, missing: false });
    }
    for (const server of config.servers) {
      const handle = this.#handles.get(server.name) ?? this.#newHandle(server);
      this.#handles.set(server.name, handle);
      this.#follow(handle, server);
    }
    this.#settleNames();
    for (const problem of config.problems.filter((one) => !before.has(one))) {
      for (const watcher of this.#watchers) watcher(this.#safe(problem));
    }
  }

  #follow(handle: McpConnectionHandle, server: ResolvedMcpServer): void {
    handle.follow(server, this.#paused.has(server.name));
  }

  #newHandle(server: ResolvedMcpServer): McpConnectionHandle {
    const { cwd, roots, environment, redact, outputFolder, restarts, wrap } = this.#options;
    const { open = openConnection } = this.#options;
    const context = {
      cwd,
      ...(roots !== undefined && { roots }),
      ...(wrap !== undefined && { wrap }),
      environment: childEnvironment(environment),
      guard: this.#guard,
      redact,
      clock: this.#clock,
      logger: this.#logger,
    };
    const handle: McpConnectionHandle = new McpConnectionHandle(server, {
      open: (started, signal) => open(started, { ...context, signal }),
      read: (now, listed, before) =>
        readOfferedTools(now, listed, {
          ...(before !== undefined && { before }),
          call: (tool, args, options) => handle.call(tool, args, options),
          outputFolder,
          redact,
        }),
      onOffer: () => this.#settleNames(),
      onChange: (change) => {
        if (!isUnheard(handle.server, change)) this.#reports.add(change);
      },
      safe: (text) => this.#safe(text),
      clock: this.#clock,
      logger: this.#logger,
      ...(restarts !== undefined && { restarts }),
    });
    return handle;
  }

  #settleNames(): void {
    if (this.#closing === undefined) this.#exposed.settle();
  }

  #safe(text: string): string {
    return statusText(text, this.#options.redact);
  }
}

function isToRun({ enabled, disabledReason, missing }: ResolvedMcpServer): boolean {
  return enabled && disabledReason === undefined && !missing;
}

/** A folder that is not trusted can name what it wants; what is defined nowhere is not worth a word then. */
function isUnheard({ missing }: ResolvedMcpServer, { state, previous }: McpStatusChange): boolean {
  return missing && state === "disabled" && previous === null;
}
