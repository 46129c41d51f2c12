import {
  createRedactor,
  type McpConfigSource,
  McpRuntimeManager,
  type McpServerStatus,
  type ResolvedMcpConfig,
} from "@acumen/agent";
import { progressOn } from "../terminal/progress.ts";
import type { McpTask, TestFlags } from "./mcp-task.ts";

/** A tool as it was offered. */
export interface ProbedTool {
  readonly server: string;
  /** Raw. */
  readonly name: string;
  /** As the model would call it. */
  readonly exposed_name: string;
}

/** How servers are at one moment. Texts hold no secrets. */
export interface Probe {
  readonly servers: readonly McpServerStatus[];
  /** Of connected servers, sorted by what they are called by. */
  readonly tools: readonly ProbedTool[];
  readonly files: ResolvedMcpConfig["files"];
  readonly problems: readonly string[];
  /** What definitions say in vain. */
  readonly notes: readonly DefinitionNote[];
}

export interface DefinitionNote {
  readonly server: string;
  readonly text: string;
}

const LOOK_MS = 50;

/**
 * Connects to every server that a source says is to run, all at once, waits until each has connected or failed, and leaves none
 * running. Shows how far it is on a terminal.
 * @param cwd where servers run that name no folder
 * @throws the signal's reason
 */
export async function probe(
  source: McpConfigSource,
  { cwd, context, terminal }: Pick<McpTask, "context" | "terminal"> & { readonly cwd: string },
): Promise<Probe> {
  const redact = createRedactor();
  const manager = new McpRuntimeManager({
    source,
    cwd,
    environment: context.environment.variables,
    redact,
    outputFolder: () => Promise.reject(new Error("Nothing is called.")),
    wait: "settled",
  });
  try {
    manager.start();
    const ready = manager.ready(context.signal);
    const shown = terminal.interactive ? showProgress(manager, terminal, ready) : undefined;
    try {
      await ready;
    } finally {
      await shown;
    }
    const tools = manager
      .tools()
      .flatMap(({ exposedName, tool: { name, origin } }) =>
        origin.type === "mcp"
          ? [{ server: origin.server, name: redact(name), exposed_name: exposedName }]
          : [],
      );
    const { files, problems } = manager;
    const notes = (await source.resolve()).servers.flatMap(({ name, notes: texts = [] }) =>
      texts.map((text) => ({ server: name, text })),
    );
    return {
      servers: manager.status(),
      tools: tools.toSorted((a, b) => (a.exposed_name < b.exposed_name ? -1 : 1)),
      files,
      problems,
      notes,
    };
  } finally {
    await manager.close();
  }
}

async function showProgress(
  manager: McpRuntimeManager,
  terminal: McpTask["terminal"],
  ready: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const over = ready.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  const look = (): readonly McpServerStatus[] => manager.status().filter(isWanted);
  while (!isOver && look().length === 0) await Promise.race([over, moment()]);
  const total = look().length;
  if (isOver || total === 0) return;
  const progress = await progressOn(terminal)("Connecting to MCP servers", total);
  while (!isOver) {
    progress.update(look().filter(({ state }) => state !== "connecting").length);
    await Promise.race([over, moment()]);
  }
  progress.stop();
}

function isWanted({ state }: McpServerStatus): boolean {
  return state === "connecting" || state === "connected" || state === "error";
}

function moment(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LOOK_MS);
  });
}

/** One server of a source, which is to run whatever the workspace says; with another time limit for its start, if one is given. */
export function only(
  source: McpConfigSource,
  name: string,
  { startupTimeout }: TestFlags = {},
): McpConfigSource {
  return {
    stamp: () => source.stamp(),
    resolve: async () => {
      const config = await source.resolve();
      return {
        ...config,
        servers: config.servers
          .filter((server) => server.name === name)
          .map(({ disabledReason: _reason, definition, ...server }) => ({
            ...server,
            enabled: true,
            ...(definition !== undefined && {
              definition:
                startupTimeout === undefined
                  ? definition
                  : { ...definition, startupTimeoutMs: startupTimeout },
            }),
          })),
      };
    },
  };
}
