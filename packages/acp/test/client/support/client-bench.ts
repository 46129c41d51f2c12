import {
  CodingAgentBuilder,
  type CodingSession,
  DEFAULT_SETTINGS,
  MemorySessionStore,
} from "@acumen/agent";
import { createScriptedModel } from "@acumen/models/testing";
import { tempFolder } from "@acumen/testkit";
import {
  agent,
  type AgentContext,
  type AnyMessage,
  client,
  type ClientApp,
} from "@agentclientprotocol/sdk";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import type { ClientFeatures } from "../../../src/client/client-features.ts";
import { hostOperations, type HostOperationsOptions } from "../../../src/client/host-operations.ts";
import { RecordedWire } from "../../support/host-bench.ts";
import { ManualTimer } from "./manual-timer.ts";

export const NO_FEATURES: ClientFeatures = {
  readTextFile: false,
  writeTextFile: false,
  terminal: false,
  notices: false,
  compaction: false,
  terminalAuth: false,
  formElicitation: false,
};

/** A host in this process; each message that it gets is checked against the protocol's schema. */
export interface ConnectedHost extends Disposable {
  readonly client: AgentContext;
  readonly sent: readonly AnyMessage[];
  readonly faults: readonly string[];
  /** Parameters of the requests of a method, in order; without the session. */
  asked(method: string): readonly unknown[];
  /** Methods in the order of the wire. */
  methods(): readonly string[];
  close(): void;
}

export function connectedHost(serves: (host: ClientApp) => ClientApp): ConnectedHost {
  const wire = new RecordedWire();
  const connection = agent({ name: "bench" }).connect(wire.agentSide);
  const host = serves(client({ name: "host" })).connect(wire.hostSide);
  const methods = (): string[] =>
    wire.sent.flatMap((message) => ("method" in message ? [message.method] : []));
  const close = (): void => {
    host.close();
    connection.close();
  };
  return {
    client: connection.client,
    sent: wire.sent,
    faults: wire.faults,
    methods,
    asked: (method) =>
      wire.sent.flatMap((message) => {
        if (!("method" in message) || message.method !== method) return [];
        const { sessionId: _, ...params } = message.params as Record<string, unknown>;
        return [params];
      }),
    close,
    [Symbol.dispose]: close,
  };
}

export interface ClientBench extends AsyncDisposable {
  readonly host: ConnectedHost;
  readonly session: CodingSession;
  readonly timer: ManualTimer;
  path(name: string): string;
  put(name: string, content: string | Uint8Array): Promise<void>;
  get(name: string): Promise<string>;
  /** Lets the scripted model work; the text of each call's result, with its status in front. */
  prompt(signal?: AbortSignal): Promise<readonly string[]>;
}

/** A session of the whole agent with a scripted model, whose files and commands are those of a host. */
export async function clientBench(options: {
  readonly steps: readonly unknown[];
  readonly features: Partial<ClientFeatures>;
  readonly serves: (host: ClientApp) => ClientApp;
  readonly operations?: Partial<HostOperationsOptions>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}): Promise<ClientBench> {
  const folder = await tempFolder();
  const [home, cwd] = [folder.join("home"), folder.join("project")];
  await Promise.all([mkdir(home), mkdir(cwd)]);
  const model = createScriptedModel({ steps: options.steps });
  const coding = new CodingAgentBuilder({
    home,
    store: new MemorySessionStore({}),
    resolveModel: () => Promise.resolve(model),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: options.environment ?? { PATH: process.env["PATH"] },
    trustOnce: true,
  }).build();
  const host = connectedHost(options.serves);
  const timer = new ManualTimer();
  const operations = hostOperations({
    client: host.client,
    sessionId: () => "one",
    features: { ...NO_FEATURES, ...options.features },
    timer: timer.after,
    ...options.operations,
  });
  const session = await coding.createSession({
    cwd,
    model: "scripted/inline",
    mode: "auto",
    ...(operations !== undefined && { operations }),
  });
  return {
    host,
    session,
    timer,
    path: folder.join.bind(folder, "project"),
    put: (name, content) => writeFile(folder.join("project", name), content),
    get: (name) => readFile(folder.join("project", name), "utf8"),
    prompt: async (signal) => {
      const from = session.events.length;
      await coding.runtime.runPrompt(session, [{ type: "text", text: "go" }], {
        ...(signal !== undefined && { signal }),
      });
      return session.events.slice(from).flatMap(({ type, payload }) => {
        if (type !== "TOOL_RESULT") return [];
        const text = payload.output.map((block) => (block.type === "text" ? block.text : ""));
        return [`${payload.status}: ${text.join("\n")}`];
      });
    },
    [Symbol.asyncDispose]: async () => {
      await coding.close();
      host.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A step of the scripted model. */
export function calls(...toolCalls: readonly { tool: string; input: unknown }[]): unknown {
  return { toolCalls };
}
