import { abortError } from "@acumen/core";
import type {
  JSONRPCMessage,
  JSONRPCResponse,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { UNREADABLE } from "../transports/read-messages.ts";
import type { CallOptions } from "./mcp-connection.ts";

/** What became of one request. */
export type RawAnswer =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** It was answered with something that cannot be used. */
  | { readonly kind: "unreadable"; readonly message: string }
  /** `total`: it gave signs of life, but too long. */
  | { readonly kind: "timeout"; readonly ms: number; readonly total: boolean }
  /** It could not be sent, or the server's HTTP answer was none. */
  | { readonly kind: "failed"; readonly error: unknown }
  /** The HTTP stream of the answer ended without an answer. */
  | { readonly kind: "cut" }
  /** The whole connection ended, before or after it was sent. */
  | { readonly kind: "ended"; readonly sent: boolean };

export interface RawOptions {
  readonly signal: AbortSignal;
  /** Between two signs of life, ms. */
  readonly timeoutMs: number;
  /** For all of it, ms; absent: `timeoutMs`. */
  readonly totalMs?: number;
  /** Given: the server is asked for progress, and each one extends the time. */
  readonly onProgress?: NonNullable<CallOptions["onProgress"]>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where messages go. */
export interface MessageSink {
  readonly hasPerRequestStream: boolean;
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
}

interface Pending {
  settle(answer: RawAnswer): void;
  progressed(params: Readonly<Record<string, unknown>>): void;
}

/** The SDK counts from 0 and never gets here; numbers, since there are servers that take no other ids. */
const FIRST_ID = 1_000_000;
/** Progress between two of these is summed up by its last one, ms. */
const PROGRESS_EVERY_MS = 100;
/** How long a cancelled call waits until its server was told, ms. */
const TELL_MS = 500;
/** setTimeout takes no more. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Requests whose results nobody has checked or copied. The SDK would throw a whole result away for one field that it does not
 * like, and would wait for answers whose HTTP stream is long gone.
 */
export class RawRequests {
  readonly #sink: MessageSink;
  readonly #pending = new Map<number, Pending>();
  #meta: Readonly<Record<string, unknown>> = {};
  #nextId = FIRST_ID;
  #ended = false;

  constructor(sink: MessageSink) {
    this.#sink = sink;
  }

  /** What goes with every request: the modern protocol has no handshake. */
  useMeta(meta: Readonly<Record<string, unknown>>): void {
    this.#meta = meta;
  }

  /** True: an answer to a request of ours, now or ever, or progress of one. */
  take(message: JSONRPCMessage): boolean {
    if ("method" in message) {
      if (message.method !== "notifications/progress" || "id" in message) return false;
      const token = Number(message.params?.["progressToken"]);
      if (!(token >= FIRST_ID)) return false;
      this.#pending.get(token)?.progressed(message.params ?? {});
      return true;
    }
    // There are servers that send the number back as text.
    const id = Number(message.id);
    if (!(id >= FIRST_ID)) return false;
    this.#pending.get(id)?.settle(answerIn(message));
    return true;
  }

  /** Every request that waits gets its answer now. */
  end(): void {
    this.#ended = true;
    for (const pending of this.#pending.values()) pending.settle({ kind: "ended", sent: true });
  }

  /** @throws the abort's error, after the server was told */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RawOptions,
  ): Promise<RawAnswer> {
    const { signal } = options;
    if (signal.aborted) throw abortError(signal);
    if (this.#ended) return { kind: "ended", sent: false };
    const id = this.#nextId++;
    const stream = new AbortController();
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<"aborted">((resolve) => {
      onAbort = () => resolve("aborted");
      signal.addEventListener("abort", onAbort, { once: true });
    });
    try {
      const answered = this.#answer(id, options);
      this.#send(id, method, params, options, stream.signal);
      const answer = await Promise.race([answered, aborted]);
      if (answer === "aborted") {
        await this.#cancel(id, stream, "The call was cancelled.");
        throw abortError(signal);
      }
      if (answer.kind === "timeout") void this.#cancel(id, stream, "The call took too long.");
      return answer;
    } finally {
      this.#pending.get(id)?.settle({ kind: "ended", sent: true });
      if (onAbort) signal.removeEventListener("abort", onAbort);
    }
  }

  #send(
    id: number,
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RawOptions,
    requestSignal: AbortSignal,
  ): void {
    const meta = { ...this.#meta, ...(options.onProgress && { progressToken: id }) };
    const message = {
      jsonrpc: "2.0" as const,
      id,
      method,
      params: { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
    };
    const settle = (answer: RawAnswer): void => this.#pending.get(id)?.settle(answer);
    this.#sink
      .send(message, {
        requestSignal,
        onRequestStreamEnd: () => settle({ kind: "cut" }),
        ...(options.headers && { headers: options.headers }),
      })
      .catch((error: unknown) => settle({ kind: "failed", error }));
  }

  /** Resolves once, whatever comes afterwards. */
  #answer(id: number, options: RawOptions): Promise<RawAnswer> {
    const { timeoutMs, onProgress } = options;
    const totalMs = options.totalMs ?? timeoutMs;
    return new Promise((resolve) => {
      const reports = onProgress && new ProgressReports(onProgress);
      const expire = (ms: number, total: boolean) => (): void =>
        this.#pending.get(id)?.settle({ kind: "timeout", ms, total });
      const limited = (ms: number): number => Math.min(ms, LONGEST_TIMER_MS);
      const idle = setTimeout(expire(timeoutMs, false), limited(timeoutMs));
      const total = setTimeout(expire(totalMs, totalMs !== timeoutMs), limited(totalMs));
      this.#pending.set(id, {
        settle: (answer) => {
          if (!this.#pending.delete(id)) return;
          clearTimeout(idle);
          clearTimeout(total);
          reports?.close();
          resolve(answer);
        },
        progressed: (params) => {
          if (!reports) return;
          idle.refresh();
          reports.add(params);
        },
      });
    });
  }

  /** Resolves when the server was told, or soon anyway. */
  async #cancel(id: number, stream: AbortController, reason: string): Promise<void> {
    // In the modern protocol the end of the stream says it; where there is a session, a message does.
    const modern = Object.keys(this.#meta).length > 0 && this.#sink.hasPerRequestStream;
    if (!modern && !this.#ended) {
      const told = this.#sink
        .send({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: id, reason },
        })
        .catch(() => undefined);
      let timer: NodeJS.Timeout | undefined;
      const enough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, TELL_MS);
      });
      await Promise.race([told, enough]);
      clearTimeout(timer);
    }
    stream.abort();
  }
}

function answerIn(message: JSONRPCResponse): RawAnswer {
  if (!("error" in message)) return { kind: "result", result: message.result };
  const { code, message: text, data } = message.error;
  if (data === UNREADABLE) return { kind: "unreadable", message: text };
  return { kind: "error", code, message: text };
}

/** Passes progress on: the first at once, then the last of each moment. */
class ProgressReports {
  readonly #report: NonNullable<CallOptions["onProgress"]>;
  #timer: NodeJS.Timeout | undefined;
  #latest: Readonly<Record<string, unknown>> | undefined;

  constructor(report: NonNullable<CallOptions["onProgress"]>) {
    this.#report = report;
  }

  add(params: Readonly<Record<string, unknown>>): void {
    if (this.#timer) {
      this.#latest = params;
      return;
    }
    this.#say(params);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const latest = this.#latest;
      this.#latest = undefined;
      if (latest) this.add(latest);
    }, PROGRESS_EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#latest = undefined;
  }

  #say(params: Readonly<Record<string, unknown>>): void {
    const { progress, total, message } = params;
    if (typeof progress !== "number") return;
    try {
      this.#report({
        progress,
        ...(typeof total === "number" && { total }),
        ...(typeof message === "string" && { message }),
      });
    } catch {
      // Whoever listens must not be able to break the reading of messages.
    }
  }
}
