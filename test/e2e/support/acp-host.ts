import { PassThrough, Readable, Writable } from "node:stream";
import { type Command, startProcess, type TestProcess } from "@acumen/testkit";
import {
  client,
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";

export interface AcpHostOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
  /** Default: allow once. */
  readonly permission?: (
    request: RequestPermissionRequest,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>;
}

/** A host of the protocol with `acumen acp` as a child process. */
export interface AcpHost extends AsyncDisposable {
  readonly process: TestProcess;
  readonly connection: ClientConnection;
  readonly agent: ClientContext;
  readonly updates: readonly SessionNotification[];
  readonly permissions: readonly RequestPermissionRequest[];
  /** Lines of stdout that are no JSON-RPC message. */
  strayLines(): string[];
  updatesOf(sessionId: string): SessionUpdate[];
  /** Resolves when an update of this kind has come. */
  untilUpdate(matches: (update: SessionUpdate) => boolean, timeoutMs?: number): Promise<void>;
}

export const ALLOW: RequestPermissionResponse = {
  outcome: { outcome: "selected", optionId: "allow_once" },
};

/** Starts the command and shakes hands. `await using` ends it. */
export async function startAcpHost(command: Command, options: AcpHostOptions): Promise<AcpHost> {
  const child = startProcess(command, { cwd: options.cwd, env: options.env });
  const updates: SessionNotification[] = [];
  const permissions: RequestPermissionRequest[] = [];
  const output = new PassThrough();
  child.child.stdout.on("data", (text: string) => output.write(text));
  child.child.stdout.on("end", () => output.end());
  const stream = ndJsonStream(
    Writable.toWeb(child.child.stdin),
    Readable.toWeb(output) as unknown as ReadableStream<Uint8Array>,
    { maxMessageBytes: 64 * 1024 * 1024 },
  );
  const connection = client({ name: "test-host" })
    .onNotification("session/update", ({ params }) => void updates.push(params))
    .onRequest("session/request_permission", ({ params }) => {
      permissions.push(params);
      return options.permission === undefined ? ALLOW : options.permission(params);
    })
    .connect(stream);
  await connection.agent.request("initialize", {
    protocolVersion: 1,
    clientInfo: { name: "test-host", version: "1" },
    clientCapabilities: options.capabilities ?? {},
  });
  return {
    process: child,
    connection,
    agent: connection.agent,
    updates,
    permissions,
    strayLines: () => child.stdout().split("\n").slice(0, -1).filter(isStray),
    updatesOf: (sessionId) =>
      updates.filter((note) => note.sessionId === sessionId).map(({ update }) => update),
    untilUpdate: async (matches, timeoutMs = 60_000) => {
      const deadline = performance.now() + timeoutMs;
      while (!updates.some(({ update }) => matches(update))) {
        if (performance.now() > deadline)
          throw new Error(`No such update came: ${JSON.stringify(updates).slice(0, 2_000)}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    [Symbol.asyncDispose]: async () => {
      connection.close();
      await child[Symbol.asyncDispose]();
    },
  };
}

function isStray(line: string): boolean {
  try {
    return (JSON.parse(line) as { jsonrpc?: unknown }).jsonrpc !== "2.0";
  } catch {
    return true;
  }
}
