import { abortError, throwIfAborted } from "@acumen/core";
import type {
  JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import type { RemoteDefinition } from "../config/server-definition.ts";
import type { OpenedTransport, TransportContext, TransportEnd } from "./opened-transport.ts";
import { notSentError } from "./not-sent.ts";
import { RemoteRequests } from "./remote-requests.ts";
import { reconnectionScheduler } from "./stream-reconnection.ts";

/** The SDK's own, which is loaded late. */
export interface RemoteForms {
  readonly SSEClientTransport: typeof SSEClientTransport;
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
}

/** What telling a server that its session is over may take. */
const FAREWELL_MS = 500;
/** How often a stream that broke is asked for again before it is given up. */
const RECONNECTION = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
};
const UNKNOWN = { exitCode: null, signal: null } as const;

export function openRemoteTransport(
  definition: RemoteDefinition,
  context: TransportContext,
  forms: RemoteForms,
): OpenedTransport {
  const transport = new RemoteTransport(definition, context, forms);
  return {
    transport,
    ended: transport.ended,
    stderrTail: () => "",
    skippedTail: () => "",
    lastFailure: () => transport.requests.lastFailure,
    lastStatus: () => transport.requests.lastStatus,
    close: () => transport.close(),
  };
}

/** A server behind a URL. Starts as a whole, and leaves no request behind. */
class RemoteTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly ended: Promise<TransportEnd>;
  readonly requests: RemoteRequests;
  readonly #definition: RemoteDefinition;
  readonly #context: TransportContext;
  readonly #fault: string | undefined;
  readonly #inner: SSEClientTransport | StreamableHTTPClientTransport | undefined;
  #resolveEnded: (end: TransportEnd) => void = () => undefined;
  #over = false;
  #closing: Promise<void> | undefined;

  constructor(definition: RemoteDefinition, context: TransportContext, forms: RemoteForms) {
    this.#definition = definition;
    this.#context = context;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.requests = new RemoteRequests({
      streamCounts: definition.transport === "sse",
      onStreamEnd: () => this.#break("ended its stream of events"),
    });
    this.#fault = faultOf(definition);
    if (this.#fault === undefined) this.#inner = this.#innerFrom(forms);
  }

  get hasPerRequestStream(): boolean {
    return this.#inner !== undefined && "hasPerRequestStream" in this.#inner;
  }

  get sessionId(): string | undefined {
    return this.#inner !== undefined && "sessionId" in this.#inner
      ? this.#inner.sessionId
      : undefined;
  }

  setProtocolVersion(version: string): void {
    this.#inner?.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    const { signal } = this.#context;
    const onAbort = (): void => void this.close();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      throwIfAborted(signal);
      if (this.#inner === undefined) throw new Error(this.#fault);
      const early = this.ended.then(() => {
        throw new Error(this.#says("was closed while it started"));
      });
      await Promise.race([this.#inner.start(), early]);
    } catch (error) {
      const known = error instanceof Error ? error : new Error(String(error));
      const kind = this.#inner === undefined ? "not_started" : "broken";
      if (!signal.aborted) this.#finish({ kind, ...UNKNOWN, error: known });
      await this.close();
      throw signal.aborted ? abortError(signal) : known;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const inner: Pick<Transport, "send"> | undefined = this.#inner;
    if (inner === undefined || this.#over) {
      throw notSentError(this.#says("is not connected"));
    }
    await inner.send(message, options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    this.#finish({ kind: "closed", ...UNKNOWN });
    await this.#inner?.close();
    await this.#farewell();
  }

  /** A server need not be told, and may not listen. */
  async #farewell(): Promise<void> {
    const { sessionId } = this;
    const inner = this.#inner;
    if (sessionId === undefined || inner === undefined || !("protocolVersion" in inner)) return;
    const headers = new Headers(this.#definition.headers);
    headers.set("mcp-session-id", sessionId);
    if (inner.protocolVersion !== undefined) {
      headers.set("mcp-protocol-version", inner.protocolVersion);
    }
    const request = {
      method: "DELETE",
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(FAREWELL_MS),
    } as const;
    const response = await fetch(this.#definition.url, request).catch(() => undefined);
    await response?.body?.cancel().catch(() => undefined);
  }

  #innerFrom(forms: RemoteForms): SSEClientTransport | StreamableHTTPClientTransport {
    const url = new URL(this.#definition.url);
    const options = {
      fetch: this.requests.fetch,
      requestInit: { headers: { ...this.#definition.headers } },
    };
    const inner =
      this.#definition.transport === "sse"
        ? new forms.SSEClientTransport(url, options)
        : new forms.StreamableHTTPClientTransport(url, {
            ...options,
            reconnectionOptions: RECONNECTION,
            reconnectionScheduler: reconnectionScheduler(),
          });
    inner.onmessage = (message: JSONRPCMessage) => {
      if (!this.#over) this.onmessage?.(message);
    };
    inner.onerror = (error) => {
      if (!this.#over) this.onerror?.(error);
    };
    return inner;
  }

  #break(how: string): void {
    this.#finish({ kind: "broken", ...UNKNOWN, error: new Error(this.#says(how)) });
    void this.close();
  }

  /** The first one counts. */
  #finish(end: TransportEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#resolveEnded(end);
    this.onclose?.();
  }

  #says(what: string): string {
    return `The MCP server ${JSON.stringify(this.#context.name)} ${what}.`;
  }
}

/** What the platform would refuse with the value in its message. */
function faultOf({ url, headers }: RemoteDefinition): string | undefined {
  if (!URL.canParse(url)) return "The URL cannot be read.";
  const { protocol, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return "The URL is not one of http or https.";
  if (username !== "" || password !== "") {
    return "The URL holds a user name or a password; they belong into a header.";
  }
  const wrong = Object.entries(headers).find(([name, value]) => !isHeader(name, value));
  return wrong && `The header ${JSON.stringify(wrong[0])} cannot be sent as it stands there.`;
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}
