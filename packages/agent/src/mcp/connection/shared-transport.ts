import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client";
import { nestsDeeper } from "../transports/nests-deeper.ts";
import { unreadable } from "../transports/read-messages.ts";
import { tolerantGreeting } from "./tolerant-greeting.ts";

/** Of a result that the SDK reads. */
const MAX_DEPTH = 200;

/** Who hears what comes in before the SDK does. */
export interface TransportTap {
  /** True: taken; the SDK never sees it. May not throw. */
  take(message: JSONRPCMessage): boolean;
  onError(error: Error): void;
  onClose(): void;
}

/**
 * One transport for two: the SDK's client, which greets the server and answers its requests, and our own requests, whose answers
 * are kept as the server wrote them.
 */
export class SharedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #inner: Transport;
  /** Of `initialize`; its answer is the one that the SDK checks. */
  #greetingId: string | number | undefined;

  constructor(inner: Transport, tap: TransportTap) {
    this.#inner = inner;
    inner.onmessage = (message, extra) => {
      try {
        if (!tap.take(message)) this.onmessage?.(this.#tolerated(message), extra);
      } catch (error) {
        // What one message does must not end the reading of the next.
        tap.onError(error instanceof Error ? error : new Error(String(error)));
      }
    };
    inner.onerror = (error) => {
      tap.onError(error);
      this.onerror?.(error);
    };
    inner.onclose = () => {
      tap.onClose();
      this.onclose?.();
    };
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  async start(): Promise<void> {
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ("method" in message && "id" in message && message.method === "initialize")
      this.#greetingId = message.id;
    await this.#inner.send(message, options);
  }

  #tolerated(message: JSONRPCMessage): JSONRPCMessage {
    if (!("result" in message)) return message;
    if (nestsDeeper(message.result, MAX_DEPTH))
      return unreadable(message.id, `It nests deeper than ${MAX_DEPTH} levels.`);
    if (this.#greetingId === undefined) return message;
    if (String(message.id) !== String(this.#greetingId)) return message;
    return { ...message, result: tolerantGreeting(message.result) };
  }

  /** Whoever opened the transport closes it. The SDK does not wait for this one, so that it may not fail. */
  async close(): Promise<void> {
    await this.#inner.close().catch(() => undefined);
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#inner.setSupportedProtocolVersions?.(versions);
  }
}
