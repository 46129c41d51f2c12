import type { Transport } from "@modelcontextprotocol/client";
import type { ProcessGuard } from "../../process/process-guard.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { WrapCommand } from "../../tools/operations.ts";

export interface TransportContext {
  /** Of the server, for messages. */
  readonly name: string;
  /** Absolute: where a server runs that has no `cwd` of its own. */
  readonly cwd: string;
  /** What every child gets, whole. */
  readonly environment: Readonly<Record<string, string>>;
  /** Knows the secrets of the definition. */
  readonly redact: Redactor;
  /** Ends processes when this one is killed. */
  readonly guard: ProcessGuard;
  /** What is started instead of a server's program. */
  readonly wrap?: WrapCommand;
  /** Ends the start, see {@link OpenedTransport.transport}; later it is not looked at. */
  readonly signal: AbortSignal;
}

/** How a transport came to its end. */
export interface TransportEnd {
  /**
   * exited: the process ended by itself. not_started: there never was one, or the address cannot be used. broken: it did not keep to
   * the rules and was ended, `error` says how. closed: {@link OpenedTransport.close} was called, or the transport's own.
   */
  readonly kind: "exited" | "not_started" | "broken" | "closed";
  /** Null when a signal ended it, when it was not known yet, and without a process. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** One sentence with thing and reason; without values of `env` and `headers`. */
  readonly error?: Error;
}

/** The last request that failed; the next one that succeeds wipes it out. */
export interface HttpFailure {
  readonly method: string;
  /** Undefined: there was no answer. */
  readonly status?: number;
  /** The answer said how one could sign in. */
  readonly authenticate?: boolean;
  /** The system's name for why there was none, such as `ECONNREFUSED`. */
  readonly code?: string;
}

/** A way to a server. */
export interface OpenedTransport {
  /**
   * For the SDK's client, which starts it. Starting rejects with {@link TransportEnd.error} when that cannot be done, and with the
   * abort's error. Its `close` is {@link OpenedTransport.close}.
   */
  readonly transport: Transport;
  /** Resolves once, whatever ends it; processes may still be on their way out. Streamable HTTP ends only by being closed. */
  readonly ended: Promise<TransportEnd>;
  /** The last 8 KiB that a process wrote to stderr, without secrets; empty without a process. */
  stderrTail(): string;
  /** The last lines of stdout that were no messages, without secrets: often a banner. */
  skippedTail(): string;
  /** Of HTTP requests that count: not those for a stream that a server need not offer, and not the last farewell. */
  lastFailure(): HttpFailure | undefined;
  /** Status of the last answer to a request that counts. */
  lastStatus(): number | undefined;
  /** Nothing of the server's processes and no request is left when this resolves, within two seconds. May be called twice, and at any time. */
  close(): Promise<void>;
}
