import {
  type CodingAgent,
  CodingAgentBuilder,
  type CodingAgentOptions,
  DEFAULT_SETTINGS,
  FileSessionStore,
  type SessionMode,
} from "@acumen/agent";
import { createScriptedModel, type ScriptedModel } from "@acumen/models/testing";
import { tempFolder } from "@acumen/testkit";
import { mkdir } from "node:fs/promises";
import { AcpAgentServer, type AgentServerOptions, type HostedAgent } from "../../src/index.ts";

export interface BenchServerOptions {
  readonly steps: readonly unknown[];
  readonly mode?: SessionMode;
  /** Folders of an earlier bench, which ended; default new ones. */
  readonly place?: Pick<BenchServer, "cwd" | "home">;
  readonly agent?: Partial<CodingAgentOptions>;
  readonly hosted?: Partial<HostedAgent>;
  readonly server?: Partial<AgentServerOptions>;
}

export interface BenchServer {
  readonly server: AcpAgentServer;
  readonly agent: CodingAgent;
  readonly model: ScriptedModel;
  /** Absolute real path of the workspace. */
  readonly cwd: string;
  readonly home: string;
  /** Closes the agent and keeps the folders. */
  end(): Promise<void>;
  remove(): Promise<void>;
}

/** The server with a scripted model, in folders of its own. */
export async function benchServer(options: BenchServerOptions): Promise<BenchServer> {
  const { steps, mode = "safe", place } = options;
  const folder = place === undefined ? await tempFolder() : undefined;
  const { home, cwd } = place ?? {
    home: folder?.join("home") ?? "",
    cwd: folder?.join("project") ?? "",
  };
  await Promise.all([mkdir(home, { recursive: true }), mkdir(cwd, { recursive: true })]);
  const model = createScriptedModel({ steps });
  const agent = new CodingAgentBuilder({
    home,
    store: new FileSessionStore({ home }),
    resolveModel: () => Promise.resolve(model),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: { PATH: process.env["PATH"] },
    trustOnce: true,
    ...options.agent,
  }).build();
  const greet = options.server?.greet ?? (() => Promise.resolve({ image: true }));
  const server = new AcpAgentServer({
    info: { name: "acumen", title: "Acumen", version: "0.0.0" },
    greet,
    open: () =>
      Promise.resolve({
        agent,
        // What is missing is the same in every folder.
        choose: async () => ({ ...(await greet()), model: "scripted/inline", mode }),
        models: () => Promise.resolve([{ id: "scripted/inline", name: "Scripted" }]),
        ...options.hosted,
      }),
    ...options.server,
  });
  return {
    server,
    agent,
    model,
    cwd,
    home,
    end: async () => {
      await server.close();
      await agent.close();
    },
    remove: async () => {
      await folder?.[Symbol.asyncDispose]();
    },
  };
}
