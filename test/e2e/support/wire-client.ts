import {
  type Command,
  type ProcessExit,
  type StartOptions,
  startProcess,
  type TestProcess,
} from "@acumen/testkit";

export interface RpcMessage {
  readonly jsonrpc: "2.0";
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A tool's reply: the JSON of its text, and whether it is an error envelope. */
export interface ToolReply {
  readonly isError: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>>;
}

/**
 * A client without any SDK: it writes lines and matches replies by id, so that tests decide every byte that goes over
 * the wire and see every byte that comes back.
 */
export interface WireClient extends AsyncDisposable {
  readonly process: TestProcess;
  /** Everything that came, in order; lines that are no JSON are kept in `noise`. */
  readonly messages: readonly RpcMessage[];
  readonly noise: readonly string[];
  /** Writes one line as it is. */
  send(line: string): void;
  notify(method: string, params?: unknown): void;
  request(method: string, params?: unknown, timeoutMs?: number): Promise<RpcMessage>;
  /** Sends a request under an id of the caller's choice. */
  requestAs(
    id: number | string,
    method: string,
    params?: unknown,
    timeoutMs?: number,
  ): Promise<RpcMessage>;
  initialize(protocolVersion?: string): Promise<RpcMessage>;
  /** Calls a tool; rejects when the answer is a JSON-RPC error. */
  call(name: string, args?: unknown, timeoutMs?: number): Promise<ToolReply>;
  /** Resolves with the first message, among those that come from now on, that is as wanted. */
  next(wanted: (message: RpcMessage) => boolean, timeoutMs?: number): Promise<RpcMessage>;
  /** Ends stdin and waits for the exit. */
  close(): Promise<ProcessExit & { readonly tookMs: number }>;
}

export function startWireClient(command: Command, options: StartOptions = {}): WireClient {
  const process = startProcess(command, options);
  const messages: RpcMessage[] = [];
  const noise: string[] = [];
  const waiting = new Map<number | string, (message: RpcMessage) => void>();
  const watchers = new Set<(message: RpcMessage) => void>();
  let rest = "";
  process.child.stdout.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) accept(line);
  });

  function accept(line: string): void {
    const message = parseMessage(line);
    if (message === undefined) {
      noise.push(line);
      return;
    }
    messages.push(message);
    for (const watch of watchers) watch(message);
    const isReply = message.result !== undefined || message.error !== undefined;
    if (isReply && message.id !== undefined && message.id !== null) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  }

  let nextId = 1;
  const send = (line: string): void => {
    process.child.stdin.write(`${line}\n`);
  };

  function requestAs(
    id: number | string,
    method: string,
    params: unknown = {},
    timeoutMs = 60_000,
  ): Promise<RpcMessage> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => fail(`no answer to ${method} (id ${id}) within ${timeoutMs} ms`),
        timeoutMs,
      );
      const fail = (why: string): void => {
        clearTimeout(timer);
        waiting.delete(id);
        reject(new Error(`${why}; stderr: ${process.stderr().slice(-2_000)}`));
      };
      void process.exited.then(({ code, signal }) => {
        if (waiting.has(id))
          fail(`the server ended (${code ?? signal}) before it answered ${method}`);
      });
      waiting.set(id, (message) => {
        clearTimeout(timer);
        resolve(message);
      });
      send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  const request: WireClient["request"] = (method, params, timeoutMs) =>
    requestAs(nextId++, method, params, timeoutMs);

  return {
    process,
    messages,
    noise,
    send,
    notify: (method, params = {}) => send(JSON.stringify({ jsonrpc: "2.0", method, params })),
    request,
    requestAs,
    initialize: async (protocolVersion = "2025-11-25") => {
      const reply = await request("initialize", {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: "wire", version: "1.0.0" },
      });
      send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
      return reply;
    },
    call: async (name, args = {}, timeoutMs) =>
      toolReply(await request("tools/call", { name, arguments: args }, timeoutMs)),
    next: (wanted, timeoutMs = 60_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(watch);
          reject(new Error(`no such message came within ${timeoutMs} ms`));
        }, timeoutMs);
        const watch = (message: RpcMessage): void => {
          if (!wanted(message)) return;
          clearTimeout(timer);
          watchers.delete(watch);
          resolve(message);
        };
        watchers.add(watch);
      }),
    close: async () => {
      const started = performance.now();
      process.child.stdin.end();
      const exit = await process.exited;
      return { ...exit, tookMs: performance.now() - started };
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

/** Reads a `tools/call` reply; throws for a JSON-RPC error or a text that is no JSON. */
export function toolReply(message: RpcMessage): ToolReply {
  if (message.result === undefined) {
    throw new Error(`a protocol error instead of a result: ${JSON.stringify(message.error)}`);
  }
  const content = message.result["content"] as readonly { type: string; text: string }[];
  return {
    isError: message.result["isError"] === true,
    body: JSON.parse(content[0]?.text ?? "") as Record<string, unknown>,
    result: message.result,
  };
}

function parseMessage(line: string): RpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "jsonrpc" in value
      ? (value as RpcMessage)
      : undefined;
  } catch {
    return undefined;
  }
}
