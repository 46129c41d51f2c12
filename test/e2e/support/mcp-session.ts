import { mkdir } from "node:fs/promises";
import {
  type CodingAgent,
  CodingAgentBuilder,
  type CodingSession,
  type ContentBlock,
  DEFAULT_SETTINGS,
  McpConfigManager,
  type McpServerStatus,
  MemorySessionStore,
  textBlock,
  textOf,
  type TurnResult,
  WorkspaceTrust,
} from "@acumen/agent";
import type { Model } from "@acumen/models";
import { createScriptedModel, type ScriptedModel, type ScriptStep } from "@acumen/models/testing";
import {
  childEnvironment,
  type Command,
  type MisbehavingMode,
  type MisbehavingOptions,
  misbehavingServer,
  type TempFolder,
  tempFolder,
} from "@acumen/testkit";
import { processesIn } from "./agent-cli.ts";

export interface McpSessionOptions {
  /** Definitions by name, as in `mcpServers`. */
  readonly servers: Readonly<Record<string, unknown>>;
  readonly steps: readonly ScriptStep[];
  /** Instead of a model that follows the steps. */
  readonly model?: Model;
  /** As in `McpHost`. Default "settled". */
  readonly wait?: number | "settled";
}

/** What became of a call of a tool. */
export interface CallOutcome {
  readonly exposedName: string;
  readonly server: string | undefined;
  readonly status: string;
  readonly text: string;
  readonly output: readonly ContentBlock[];
}

/** A session in this process with servers of its own and a scripted model, in a folder where nobody else works. */
export interface McpSession extends AsyncDisposable {
  readonly session: CodingSession;
  readonly model: ScriptedModel;
  readonly cwd: string;
  prompt(text?: string, signal?: AbortSignal): Promise<TurnResult>;
  /** In the order of the results. */
  outcomes(): CallOutcome[];
  outcomeOf(exposedName: string): CallOutcome | undefined;
  statusOf(server: string): McpServerStatus | undefined;
  /** Resolves when the server is in that state; rejects after `timeoutMs` (default 60,000) with its status. */
  untilState(server: string, state: string, timeoutMs?: number): Promise<McpServerStatus>;
  /** Pids of everything that works in the session's folder. */
  processes(): Promise<string[]>;
  /** How long it took, ms. */
  close(): Promise<number>;
}

let folders = 0;

export async function openMcpSession(options: McpSessionOptions): Promise<McpSession> {
  const folder = await tempFolder("acumen-mcp");
  const home = folder.join("home");
  const cwd = folder.join(`work-${(folders += 1)}`);
  await mkdir(cwd);
  const model = createScriptedModel({ steps: options.steps });
  const environment = childEnvironment();
  const agent = new CodingAgentBuilder({
    home,
    store: new MemorySessionStore(),
    resolveModel: () => Promise.resolve(options.model ?? model),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment,
    trustOnce: true,
    mcp: new McpConfigManager({
      home,
      environment,
      trust: new WorkspaceTrust({ home, environment }),
    }),
  }).build();
  const session = await agent.createSession({
    cwd,
    model: "scripted/inline",
    mode: "auto",
    mcp: { servers: options.servers, inherit: false, wait: options.wait ?? "settled" },
  });
  return asMcpSession({ session, model, agent, folder, cwd });
}

function asMcpSession(parts: {
  readonly session: CodingSession;
  readonly model: ScriptedModel;
  readonly agent: CodingAgent;
  readonly folder: TempFolder;
  readonly cwd: string;
}): McpSession {
  const { session, model, agent, folder, cwd } = parts;
  const statusOf = (server: string): McpServerStatus | undefined =>
    session.mcp?.status().find((status) => status.server === server);
  const outcomes = (): CallOutcome[] => outcomesOf(session);
  return {
    session,
    model,
    cwd,
    prompt: (text = "Go.", signal) =>
      agent.runtime.runPrompt(session, [textBlock(text)], { ...(signal && { signal }) }),
    outcomes,
    outcomeOf: (exposedName) => outcomes().find((outcome) => outcome.exposedName === exposedName),
    statusOf,
    untilState: async (server, state, timeoutMs = 60_000) => {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const status = statusOf(server);
        if (status?.state === state) return status;
        if (performance.now() > deadline) {
          throw new Error(`${server} is not ${state}: ${JSON.stringify(status)}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    processes: () => processesIn(cwd),
    close: async () => {
      const started = performance.now();
      await session.close();
      return performance.now() - started;
    },
    [Symbol.asyncDispose]: async () => {
      await agent.close();
      await folder.remove();
    },
  };
}

function outcomesOf(session: CodingSession): CallOutcome[] {
  const calls = new Map(
    session.events.flatMap((event) =>
      event.type === "TOOL_CALL" ? [[event.payload.call_id, event.payload] as const] : [],
    ),
  );
  return session.events.flatMap((event) => {
    if (event.type !== "TOOL_RESULT") return [];
    const call = calls.get(event.payload.call_id);
    const { status, output } = event.payload;
    return [
      {
        exposedName: call?.exposed_name ?? "",
        server: call?.server,
        status,
        text: textOf(output),
        output,
      },
    ];
  });
}

/** A definition that starts the scripted server. */
export function misbehaving(
  modes: MisbehavingMode | readonly MisbehavingMode[],
  options: MisbehavingOptions = {},
  definition: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { ...asDefinition(misbehavingServer(modes, options)), ...definition };
}

export function asDefinition({ command, args }: Command): Record<string, unknown> {
  return { command, args: [...args] };
}

/** A step of a scripted model that calls tools, all at once. */
export function calling(
  ...calls: readonly (readonly [tool: string, input?: unknown])[]
): ScriptStep {
  return { toolCalls: calls.map(([tool, input = {}]) => ({ tool, input })) };
}
