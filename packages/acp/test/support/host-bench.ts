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
import {
  type AnyMessage,
  client,
  type ClientApp,
  type ClientCapabilities,
  type ClientContext,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { mkdir } from "node:fs/promises";
import { AcpAgentServer, type AgentServerOptions, type HostedAgent } from "../../src/index.ts";
import { schemaFault } from "./wire-schema.ts";

export interface HostBenchOptions {
  readonly steps: readonly unknown[];
  readonly mode?: SessionMode;
  readonly capabilities?: ClientCapabilities;
  readonly permission?: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>;
  /** Adds what the host serves beside permissions. */
  readonly serves?: (host: ClientApp) => ClientApp;
  readonly agent?: Partial<CodingAgentOptions>;
  readonly hosted?: Partial<HostedAgent>;
  readonly server?: Partial<AgentServerOptions>;
}

export interface HostBench extends AsyncDisposable {
  readonly host: ClientContext;
  readonly agent: CodingAgent;
  readonly model: ScriptedModel;
  /** Absolute real path of the workspace. */
  readonly cwd: string;
  readonly home: string;
  /** Every message of the agent, in the order of the wire. */
  readonly sent: readonly AnyMessage[];
  /** Updates of all sessions, in order. */
  readonly updates: readonly SessionUpdate[];
  /** Messages that break the protocol. */
  readonly faults: readonly string[];
}

/** A host and the server in one process, over two pipes; each message of the server is checked against the protocol's schema. */
export async function hostBench(options: HostBenchOptions): Promise<HostBench> {
  const folder = await tempFolder();
  const [home, cwd] = [folder.join("home"), folder.join("project")];
  await Promise.all([mkdir(home), mkdir(cwd)]);
  const model = createScriptedModel({ steps: options.steps });
  const agent = new CodingAgentBuilder({
    home,
    store: new FileSessionStore({ home }),
    resolveModel: () => Promise.resolve(model),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: { PATH: process.env["PATH"] },
    trustOnce: true,
    ...options.agent,
  }).build();
  const server = new AcpAgentServer({
    info: { name: "acumen", title: "Acumen", version: "0.0.0" },
    greet: () => Promise.resolve({ image: true }),
    open: () =>
      Promise.resolve({
        agent,
        choose: () => Promise.resolve({ model: "scripted/inline", mode: options.mode ?? "safe" }),
        models: () => Promise.resolve([{ id: "scripted/inline", name: "Scripted" }]),
        ...options.hosted,
      }),
    ...options.server,
  });
  const wire = new RecordedWire();
  const connection = server.connect(wire.agentSide);
  const updates: SessionUpdate[] = [];
  const hostApp = client({ name: "bench" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .onRequest("session/request_permission", ({ params, signal }) =>
      options.permission === undefined
        ? { outcome: { outcome: "selected", optionId: "allow_once" } }
        : options.permission(params, signal),
    );
  const hostConnection = (options.serves?.(hostApp) ?? hostApp).connect(wire.hostSide);
  await hostConnection.agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: options.capabilities ?? {},
  });
  return {
    host: hostConnection.agent,
    agent,
    model,
    cwd,
    home,
    updates,
    sent: wire.sent,
    faults: wire.faults,
    [Symbol.asyncDispose]: async () => {
      hostConnection.close();
      connection.close();
      await server.close();
      await agent.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Two pipes; what the agent sends is kept and checked. */
export class RecordedWire {
  readonly sent: AnyMessage[] = [];
  readonly faults: string[] = [];
  readonly #methods = new Map<unknown, string>();
  readonly #toAgent = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      if ("method" in message && "id" in message) this.#methods.set(message.id, message.method);
      controller.enqueue(message);
    },
  });
  readonly #toHost = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      this.sent.push(message);
      const fault = this.#faultOf(message);
      if (fault !== undefined) this.faults.push(fault);
      controller.enqueue(message);
    },
  });

  get agentSide(): { writable: WritableStream<AnyMessage>; readable: ReadableStream<AnyMessage> } {
    return { writable: this.#toHost.writable, readable: this.#toAgent.readable };
  }

  get hostSide(): { writable: WritableStream<AnyMessage>; readable: ReadableStream<AnyMessage> } {
    return { writable: this.#toAgent.writable, readable: this.#toHost.readable };
  }

  #faultOf(message: AnyMessage): string | undefined {
    if ("method" in message) {
      const kind = "id" in message ? "Request" : "Notification";
      return schemaFault(message.method, kind, message.params);
    }
    if (!("result" in message)) return undefined;
    return schemaFault(this.#methods.get(message.id) ?? "", "Response", message.result);
  }
}
