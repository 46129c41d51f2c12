import { type Clock, type Logger, throwIfAborted, untilAborted } from "@acumen/core";
import type * as Sdk from "@modelcontextprotocol/client";
import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { ProcessGuard } from "../../process/process-guard.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { WrapCommand } from "../../tools/operations.ts";
import type { McpServerDefinition } from "../config/server-definition.ts";
import { openTransport } from "../transports/open-transport.ts";
import { clientInfo } from "./client-info.ts";
import {
  type FailureContext,
  requestFailure,
  sseOnly,
  startTimeout,
} from "./connection-failures.ts";
import { errorFacts } from "./error-facts.ts";
import { LiveConnection } from "./live-connection.ts";
import type { ConnectionFailure, McpConnection, Opened } from "./mcp-connection.ts";
import { ServerLink } from "./server-link.ts";
import { offersEvents } from "./sse-endpoint.ts";

export interface ConnectContext {
  /** Absolute: the session's working directory. */
  readonly cwd: string;
  /** Folders that a server is told of when it asks; absolute. Default: `cwd` alone. */
  readonly roots?: readonly string[];
  /** What every child gets, whole. */
  readonly environment: Readonly<Record<string, string>>;
  readonly guard: ProcessGuard;
  /** What is started instead of a server's program. */
  readonly wrap?: WrapCommand;
  /** Knows the secrets of the definition. */
  readonly redact: Redactor;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ServerToOpen {
  readonly name: string;
  readonly definition: McpServerDefinition;
}

/** How the greeting begins: with `initialize`, or with a question for a server that needs none. */
type Era = "legacy" | "auto";

type Greeted =
  | { readonly ok: true; readonly connection: LiveConnection }
  | { readonly ok: false; readonly failure: ConnectionFailure; readonly error?: unknown };

/** How long a server may think about a question that it does not know. */
const PROBE_MS = 5_000;
/** setTimeout takes no more. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Starts a server and greets it, within the `startupTimeoutMs` of its definition. Whatever goes wrong is a value.
 * @throws the abort's error
 */
export async function openConnection(
  server: ServerToOpen,
  context: ConnectContext,
): Promise<Opened<McpConnection>> {
  const { signal } = context;
  throwIfAborted(signal);
  const sdk = await import("@modelcontextprotocol/client");
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  const timer = setTimeout(stop, Math.min(server.definition.startupTimeoutMs, LONGEST_TIMER_MS));
  signal.addEventListener("abort", stop, { once: true });
  try {
    const opened = await new Opening(sdk, server, context, limit.signal).open();
    if (opened.ok && signal.aborted) await opened.connection.close();
    throwIfAborted(signal);
    return opened;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

class Opening {
  readonly #sdk: typeof Sdk;
  readonly #server: ServerToOpen;
  readonly #context: ConnectContext;
  /** Either the time is up or nobody wants it any more. */
  readonly #signal: AbortSignal;

  constructor(sdk: typeof Sdk, server: ServerToOpen, context: ConnectContext, signal: AbortSignal) {
    this.#sdk = sdk;
    this.#server = server;
    this.#context = context;
    this.#signal = signal;
  }

  async open(): Promise<Opened<McpConnection>> {
    if (this.#server.definition.transport !== "http") return this.#greet("legacy");
    const first = await this.#greet("auto");
    if (first.ok || !this.#mayBeOlder(first)) return first;
    // Some servers fall over a question that they do not know; a transport that has seen that is not used again.
    const second = await this.#greet("legacy");
    if (second.ok) return second;
    return { ok: false, failure: await this.#named(second) };
  }

  /** False for what would be the same with another greeting. */
  #mayBeOlder({ failure, error }: Greeted & { ok: false }): boolean {
    if (this.#signal.aborted || failure.kind === "needs_auth") return false;
    return failure.kind !== "unreachable" || errorFacts(error).status !== undefined;
  }

  /** An endpoint that takes no POST may be one of the older kind. */
  async #named({ failure, error }: Greeted & { ok: false }): Promise<ConnectionFailure> {
    const { status } = errorFacts(error);
    const { definition } = this.#server;
    if ((status !== 404 && status !== 405) || definition.transport === "stdio") return failure;
    const isSse = await offersEvents(definition, this.#signal);
    return isSse ? sseOnly(this.#silentFacts()) : failure;
  }

  async #greet(era: Era): Promise<Greeted> {
    const { name, definition } = this.#server;
    const { cwd, environment, guard, wrap, redact } = this.#context;
    const own = { name, cwd, environment, guard, redact, signal: this.#signal };
    const target = { ...own, ...(wrap !== undefined && { wrap }) };
    const opened = await openTransport(definition, target);
    const facts: FailureContext = {
      name,
      definition,
      redact,
      stderrTail: () => opened.stderrTail(),
      skippedTail: () => opened.skippedTail(),
      lastFailure: () => opened.lastFailure(),
    };
    const link = new ServerLink(opened, facts);
    const client = this.#client(era);
    const ended = new Promise<never>((_resolve, reject) => {
      link.onEnd((failure) => reject(new EndedEarly(failure)));
    });
    ended.catch(() => undefined);
    try {
      const connecting = client.connect(link.shared, {
        signal: this.#signal,
        timeout: definition.startupTimeoutMs,
      });
      await untilAborted(Promise.race([connecting, ended]), this.#signal);
      return { ok: true, connection: new LiveConnection(this.#sdk, client, link) };
    } catch (error) {
      const failure = await this.#failureOf(error, link);
      await link.close();
      throwIfAborted(this.#context.signal);
      return { ok: false, failure, error };
    }
  }

  async #failureOf(error: unknown, link: ServerLink): Promise<ConnectionFailure> {
    // The end of the transport says more than what it broke off.
    await setImmediate();
    if (link.failure) return link.failure;
    const isLate = this.#signal.aborted || errorFacts(error).codes.includes("REQUEST_TIMEOUT");
    if (isLate) return startTimeout(link.facts);
    return requestFailure(error, link.facts);
  }

  #client(era: Era): Sdk.Client {
    const { Client } = this.#sdk;
    const probe = { timeoutMs: Math.min(PROBE_MS, this.#server.definition.startupTimeoutMs / 2) };
    const client = new Client(clientInfo(), {
      capabilities: { roots: {} },
      versionNegotiation: era === "auto" ? { mode: "auto", probe } : { mode: "legacy" },
      // It would check results, which are never shown to it.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({
          valid: true,
          data: data as never,
          errorMessage: undefined,
        }),
      },
    });
    const { roots, cwd } = this.#context;
    client.setRequestHandler("roots/list", () => ({ roots: (roots ?? [cwd]).map(asRoot) }));
    return client;
  }

  #silentFacts(): FailureContext {
    const { name, definition } = this.#server;
    const nothing = (): string => "";
    return {
      name,
      definition,
      redact: this.#context.redact,
      stderrTail: nothing,
      skippedTail: nothing,
      lastFailure: () => undefined,
    };
  }
}

/** The transport ended before the server had greeted. */
class EndedEarly extends Error {
  readonly failure: ConnectionFailure;

  constructor(failure: ConnectionFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

function asRoot(path: string): { uri: string; name: string } {
  return { uri: pathToFileURL(path).href, name: basename(path) };
}
