import {
  type AnyMessage,
  client,
  type ClientApp,
  type ClientCapabilities,
  type ClientContext,
  type InitializeResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { type BenchServer, benchServer, type BenchServerOptions } from "./bench-server.ts";
import { RecordedWire } from "./recorded-wire.ts";

export { RecordedWire } from "./recorded-wire.ts";

export interface HostBenchOptions extends BenchServerOptions {
  readonly capabilities?: ClientCapabilities;
  readonly permission?: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>;
  /** Another connection to this server, instead of one of its own. */
  readonly on?: BenchServer;
  /** Adds what the host serves beside permissions. */
  readonly serves?: (host: ClientApp) => ClientApp;
}

export interface HostBench
  extends AsyncDisposable, Pick<BenchServer, "agent" | "cwd" | "home" | "model"> {
  readonly host: ClientContext;
  readonly base: BenchServer;
  /** The answer to `initialize`. */
  readonly initialized: InitializeResponse;
  /** Every message of the agent, in the order of the wire. */
  readonly sent: readonly AnyMessage[];
  /** Updates of all sessions, in order. */
  readonly updates: readonly SessionUpdate[];
  /** The same with the ids of their sessions. */
  readonly notifications: readonly SessionNotification[];
  /** Messages that break the protocol. */
  readonly faults: readonly string[];
  /** Ends the connection from the side of the host. */
  close(): void;
  /** Ends the connection and closes the agent; the folders stay. */
  end(): Promise<void>;
}

/** A host and the server in one process, over two pipes; each message of the server is checked against the protocol's schema. */
export async function hostBench(options: HostBenchOptions): Promise<HostBench> {
  const base = options.on ?? (await benchServer(options));
  const { server, agent, model, cwd, home, end, remove } = base;
  const wire = new RecordedWire();
  const connection = server.connect(wire.agentSide);
  const notifications: SessionNotification[] = [];
  const updates: SessionUpdate[] = [];
  const hostApp = client({ name: "bench" })
    .onNotification("session/update", ({ params }) => {
      notifications.push(params);
      updates.push(params.update);
    })
    .onRequest("session/request_permission", ({ params, signal }) =>
      options.permission === undefined
        ? { outcome: { outcome: "selected", optionId: "allow_once" } }
        : options.permission(params, signal),
    );
  const hostConnection = (options.serves?.(hostApp) ?? hostApp).connect(wire.hostSide);
  const initialized = await hostConnection.agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: options.capabilities ?? {},
  });
  const ended = async (): Promise<void> => {
    hostConnection.close();
    connection.close();
    if (options.on === undefined) await end();
  };
  return {
    host: hostConnection.agent,
    base,
    initialized,
    agent,
    model,
    cwd,
    home,
    updates,
    notifications,
    sent: wire.sent,
    faults: wire.faults,
    close: () => {
      hostConnection.close();
      wire.end();
    },
    end: ended,
    [Symbol.asyncDispose]: async () => {
      await ended();
      if (options.on === undefined) await remove();
    },
  };
}
