import type { McpTransport } from "../config/server-definition.ts";

/** Under it an entry of a list says why its tool cannot be used; no server can write it. */
export const TOOL_FAULT: unique symbol = Symbol("fault of a tool");

/** One entry of a list of tools, as the server wrote it. Nothing of it is checked but that it is an object, and what breaks the rules of the way that it came. */
export type ListedTool = Readonly<Record<string, unknown>> & { readonly [TOOL_FAULT]?: string };

/** The `result` of `tools/call`, as the server wrote it. */
export type RawCallResult = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Between two signs of life, ms. Progress extends it up to a limit for the whole call. */
  readonly timeoutMs: number;
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
}

/** Why a connection ended or never came about. */
export interface ConnectionFailure {
  /**
   * needs_auth: 401 or 403. exited: the process ended, or was ended since it could not be spoken to any more. too_large: the process
   * was ended since it sent a message without an end in sight. not_started: the command could not be run. timeout: no answer in time.
   * session_lost: the server knows the HTTP session no more. protocol: it does not speak MCP, or a version of its own.
   * unreachable: no connection.
   */
  readonly kind:
    | "needs_auth"
    | "exited"
    | "too_large"
    | "not_started"
    | "timeout"
    | "session_lost"
    | "protocol"
    | "unreachable";
  /** One or more sentences with what is known (exit code, signal, status, end of stderr) and the remedy. What of it is cut has lost its secrets before; the rest may hold some: whoever shows or stores it redacts it. */
  readonly message: string;
}

export type Opened<Connection> =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly failure: ConnectionFailure };

/** A call that got no result. An abort is thrown instead. */
export type CallAnswer =
  | { readonly ok: true; readonly result: RawCallResult }
  | {
      readonly ok: false;
      /**
       * `closed`: the connection ended while the call ran. `refused`: the server answered with an error, or with something that is
       * no result. `not_sent`: the server was never asked.
       */
      readonly kind: "timeout" | "closed" | "refused" | "not_sent" | "too_large" | "session_lost";
      /** It was sent, and nobody has said that it was not carried out. */
      readonly mayHaveRun: boolean;
      /** What happened, without {@link mayHaveRun}. */
      readonly message: string;
    };

export type ListAnswer =
  | {
      readonly ok: true;
      readonly tools: readonly ListedTool[];
      /** Why the list holds less than the server's: it was cut, or entries are no objects. Sentences for people. */
      readonly incomplete?: string;
    }
  | { readonly ok: false; readonly message: string };

/** A server that was started, greeted and can be asked. Used until it closes, never again afterwards. */
export interface McpConnection {
  readonly transport: McpTransport;
  readonly protocolVersion: string;
  /** What the server says about itself as a whole; unchecked. */
  readonly instructions?: string;
  /** All pages. @throws the abort's error */
  listTools(signal: AbortSignal): Promise<ListAnswer>;
  /** @throws the abort's error, after the server was told */
  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<CallAnswer>;
  /** Its list of tools is another one now; said once for a burst. */
  onToolsChanged(listener: () => void): void;
  /** It ended by itself; not called after {@link close}. */
  onClosed(listener: (failure: ConnectionFailure) => void): void;
  /** Nothing of its processes is left when this resolves, within two seconds. May be called twice. */
  close(): Promise<void>;
}
