import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { OpenedTransport } from "../transports/opened-transport.ts";
import { endFailure, type FailureContext, isTooLarge } from "./connection-failures.ts";
import type { ConnectionFailure } from "./mcp-connection.ts";
import { RawRequests } from "./raw-requests.ts";
import { SharedTransport } from "./shared-transport.ts";
import { ToolsChanged } from "./tools-changed.ts";

/** A transport, what is under way on it, and its one end. */
export class ServerLink {
  readonly requests: RawRequests;
  /** For the SDK's client. */
  readonly shared: SharedTransport;
  readonly toolsChanged = new ToolsChanged();
  readonly facts: FailureContext;
  readonly #opened: OpenedTransport;
  readonly #endListeners = new Set<(failure: ConnectionFailure) => void>();
  #onError: ((error: Error) => void) | undefined;
  #failure: ConnectionFailure | undefined;
  #isClosed = false;
  #sawTooLarge = false;

  constructor(opened: OpenedTransport, facts: FailureContext) {
    this.#opened = opened;
    this.facts = facts;
    this.shared = new SharedTransport(opened.transport, {
      take: (message) => this.#take(message),
      onError: (error) => {
        this.#sawTooLarge ||= isTooLarge(error.message);
        this.#onError?.(error);
      },
      onClose: () => undefined,
    });
    this.requests = new RawRequests(this.shared);
    void opened.ended.then((end) => {
      // Closed by us, or by the SDK, which says then what it did not like.
      if (end.kind !== "closed") this.end(endFailure(end, facts));
    });
  }

  /** Why it ended by itself; undefined: it did not. */
  get failure(): ConnectionFailure | undefined {
    return this.#failure;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get sessionId(): string | undefined {
    return this.#opened.transport.sessionId;
  }

  /** True once for an answer that was broken off because of its size. */
  takeTooLarge(): boolean {
    const saw = this.#sawTooLarge;
    this.#sawTooLarge = false;
    return saw;
  }

  /** What the transport reports beside its end; mostly nothing that matters. */
  watchErrors(listener: (error: Error) => void): void {
    this.#onError = listener;
  }

  /** Called at once when it has ended already. */
  onEnd(listener: (failure: ConnectionFailure) => void): void {
    if (this.#failure) listener(this.#failure);
    else this.#endListeners.add(listener);
  }

  /** It is of no use any more. The first reason holds; whatever waits for an answer gets it. */
  end(failure: ConnectionFailure): void {
    if (this.#failure || this.#isClosed) return;
    this.#failure = failure;
    this.#stop();
    for (const listener of this.#endListeners) listener(failure);
    this.#endListeners.clear();
    void this.#opened.close().catch(() => undefined);
  }

  /** Nothing is said to those who wait for its end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endListeners.clear();
    this.#stop();
    await this.#opened.close();
  }

  #stop(): void {
    this.toolsChanged.close();
    this.requests.end();
  }

  /** A notification that the SDK must not see: it has no use for it, or would check it. */
  #take(message: JSONRPCMessage): boolean {
    if ("method" in message && !("id" in message)) {
      if (message.method === "notifications/message") return true;
      if (message.method === "notifications/tools/list_changed") {
        this.toolsChanged.notice();
        return true;
      }
    }
    return this.requests.take(message);
  }
}
