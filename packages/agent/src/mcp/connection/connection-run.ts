import { type Logger, untilAborted } from "@acumen/core";
import type { McpServerDefinition } from "../config/server-definition.ts";
import type {
  CallAnswer,
  ConnectionFailure,
  ListAnswer,
  ListedTool,
  McpConnection,
  Opened,
} from "./mcp-connection.ts";
import { slowStartRemedy } from "./slow-start.ts";

export interface StartedServer {
  readonly name: string;
  readonly definition: McpServerDefinition;
}

/** @throws the abort's error */
export type OpenServer = (
  server: StartedServer,
  signal: AbortSignal,
) => Promise<Opened<McpConnection>>;

export interface RunEvents {
  /** Once. Its connection is not closed yet. */
  onFailed(failure: ConnectionFailure, wasConnected: boolean): void;
  /** A whole list of tools; the first one means that it is connected. */
  onListed(listed: readonly ListedTool[], incomplete: string | undefined): void;
  /** A changed list could not be read: what was listed before still counts. */
  onStale(reason: string): void;
}

/** How much later than the connection itself its time-out is noticed here. */
const GRACE_MS = 500;
/** A timer holds no more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** One connection from its start to its end. Tells nothing any more after {@link stop}. */
export class ConnectionRun {
  /** Settles when the call that is under way has no answer to wait for. Never rejects. */
  readonly over: Promise<CallAnswer>;
  readonly #server: StartedServer;
  readonly #open: OpenServer;
  readonly #logger: Logger;
  readonly #stopped = new AbortController();
  #end: (answer: CallAnswer) => void = () => undefined;
  #connection: McpConnection | undefined;
  #done: Promise<void> = Promise.resolve();
  #isListed = false;
  #isListing = false;
  #listAgain = false;

  constructor(server: StartedServer, { open, logger }: { open: OpenServer; logger: Logger }) {
    this.#server = server;
    this.#open = open;
    this.#logger = logger;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get connection(): McpConnection | undefined {
    return this.#connection;
  }

  /** The attempt to connect has ended, in whatever way. */
  get done(): Promise<void> {
    return this.#done;
  }

  /** @param before what has to be gone first */
  start(before: Promise<unknown>, events: RunEvents): void {
    this.#done = this.#establish(before, events);
  }

  /** Nothing of it is left when this resolves. Never rejects. */
  async stop(message: string): Promise<void> {
    this.#stopped.abort();
    this.#end({ ok: false, kind: "closed", mayHaveRun: true, message });
    const close = this.#connection?.close();
    const results = await Promise.allSettled([this.#done, close]);
    for (const result of results) {
      if (result.status === "fulfilled") continue;
      this.#logger.warn("a connection to an MCP server could not be closed", {
        server: this.#server.name,
      });
    }
  }

  async #establish(before: Promise<unknown>, events: RunEvents): Promise<void> {
    await before;
    const { signal } = this.#stopped;
    if (signal.aborted) return;
    const { startupTimeoutMs } = this.#server.definition;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timerMs(startupTimeoutMs + GRACE_MS));
    try {
      const failure = await this.#connect(AbortSignal.any([signal, late.signal]), events);
      if (failure !== undefined && !signal.aborted) events.onFailed(failure, false);
    } catch (error) {
      if (signal.aborted) return;
      const failure = late.signal.aborted ? tooLate(this.#server) : unexpected(error);
      events.onFailed(failure, false);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Undefined: it is connected, or stopped, or its end was told. */
  async #connect(signal: AbortSignal, events: RunEvents): Promise<ConnectionFailure | undefined> {
    const opened = await this.#open(this.#server, signal);
    if (!opened.ok) return opened.failure;
    const { connection } = opened;
    this.#connection = connection;
    if (signal.aborted) {
      // It came too late; whoever stopped this could not close it.
      await connection.close();
      return this.#stopped.signal.aborted ? undefined : tooLate(this.#server);
    }
    connection.onClosed((failure) => {
      if (!this.#stopped.signal.aborted) events.onFailed(failure, this.#isListed);
    });
    connection.onToolsChanged(() => void this.#listAnew(connection, events));
    const answer = await this.#list(connection, signal);
    if (this.#stopped.signal.aborted) return undefined;
    if (!answer.ok) return { kind: "protocol", message: noList(answer) };
    this.#isListed = true;
    events.onListed(answer.tools, answer.incomplete);
    if (this.#listAgain) void this.#listAnew(connection, events);
    return undefined;
  }

  async #list(connection: McpConnection, signal: AbortSignal): Promise<ListAnswer> {
    this.#isListing = true;
    try {
      return await untilAborted(connection.listTools(signal), signal);
    } finally {
      this.#isListing = false;
    }
  }

  /** A list that fails leaves what was there. Never rejects. */
  async #listAnew(connection: McpConnection, events: RunEvents): Promise<void> {
    this.#listAgain = true;
    if (!this.#isListed || this.#isListing) return;
    const { startupTimeoutMs } = this.#server.definition;
    const stopped = this.#stopped.signal;
    while (this.#listAgain && !stopped.aborted) {
      this.#listAgain = false;
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), timerMs(startupTimeoutMs));
      timer.unref();
      const answer = await this.#list(connection, AbortSignal.any([stopped, late.signal]))
        .catch((): ListAnswer => ({ ok: false, message: noListWithin(startupTimeoutMs) }))
        .finally(() => clearTimeout(timer));
      if (stopped.aborted) return;
      if (answer.ok) events.onListed(answer.tools, answer.incomplete);
      else events.onStale(answer.message);
    }
  }
}

function timerMs(wanted: number): number {
  return Math.min(wanted, MAX_TIMER_MS);
}

function tooLate({ name, definition }: StartedServer): ConnectionFailure {
  const said = `It was not ready within ${definition.startupTimeoutMs} ms.`;
  return { kind: "timeout", message: `${said} ${slowStartRemedy({ name, definition })}` };
}

function noList({ message }: { readonly message: string }): string {
  return `It connected, and gave no list of tools. ${message}`;
}

function noListWithin(milliseconds: number): string {
  return `There was no list within ${milliseconds} ms.`;
}

function unexpected(error: unknown): ConnectionFailure {
  return { kind: "unreachable", message: error instanceof Error ? error.message : String(error) };
}
