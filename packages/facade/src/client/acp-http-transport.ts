import { createId } from "@acumen/core";
import { ACP_VERSION, type AcpRequest } from "../envelope/acp-request.ts";
import type { AcpEvent } from "../envelope/acp-event.ts";
import type { AcpResponse } from "../envelope/acp-response.ts";
import { AcpVersionNegotiator } from "../envelope/version-negotiator.ts";
import { AcpNotAvailableError, AcpVersionMismatchError } from "../errors/acp-error.ts";
import { OPERATIONS } from "../operations/operation-table.ts";
import { backoffMs, pause, retryAfterMs } from "./backoff.ts";
import { type Envelope, HttpConnection } from "./http-connection.ts";
import { type EventsQuery, resumedEvents } from "./resumed-events.ts";
import { type Asked, errorOf, raisedError } from "./wire-error.ts";

export interface AcpHttpTransportOptions {
  /** Bearer token of the server. */
  readonly token: string;
  /** A request that may be sent again is sent so often at most. Default 5. */
  readonly attempts?: number;
  /** An answer may take so long. Default 60 s, more than any server waits. */
  readonly timeoutMs?: number;
  /** Events are tried for so long while no server answers. Default 5 minutes. */
  readonly giveUpMs?: number;
}

export interface SendOptions {
  /** Ends the waiting; what the server has begun goes on. */
  readonly signal?: AbortSignal;
}

type Complete = AcpRequest & { readonly acp_version: string; readonly request_id: string };

const CONNECT_MS = 10_000;
/** A server that wants more patience than this gets its answer handed on. */
const LONGEST_WAIT_MS = 30_000;

/** The protocol over HTTP: answers and raises what `AcpLocalFacade.dispatch` does. */
export class AcpHttpTransport {
  readonly #options: Required<AcpHttpTransportOptions>;
  #connection: HttpConnection | undefined;

  constructor(options: AcpHttpTransportOptions) {
    this.#options = { attempts: 5, timeoutMs: 60_000, giveUpMs: 5 * 60_000, ...options };
  }

  /**
   * Agrees on a version with a server. An earlier connection ends.
   * @param url such as http://127.0.0.1:4747
   * @throws AcpNotAvailableError, AcpVersionMismatchError; AuthenticationError for the token; ValidationError for the address
   */
  async connect(url: string, { signal }: SendOptions = {}): Promise<void> {
    await this.disconnect();
    const connection = new HttpConnection(url, this.#options.token);
    const limit = anySignal(signal, AbortSignal.timeout(CONNECT_MS));
    try {
      const response = await connection.fetch("/acp/v1/describe", {}, limit);
      const { error, data } = await connection.envelope(response);
      if (error !== null)
        throw errorOf(error, { operation: "system.describe", version: ACP_VERSION });
      negotiate(data["supported_versions"]);
    } catch (error) {
      signal?.throwIfAborted();
      if (limit.aborted) throw connection.unreachable("it does not answer in time", error);
      throw error;
    }
    this.#connection = connection;
  }

  /**
   * Reads, and changes with an idempotency key, are sent again when the connection or the server fails for the moment.
   * @throws AcpOperationNotFoundError, AcpVersionMismatchError; AcpNotAvailableError when there is no server, or no connection yet
   */
  async send(request: AcpRequest, { signal }: SendOptions = {}): Promise<AcpResponse> {
    const connection = this.#connected();
    const complete: Complete = {
      ...request,
      acp_version: request.acp_version ?? ACP_VERSION,
      request_id: request.request_id ?? createId(),
    };
    const end = anySignal(connection.signal, signal);
    const attempts = isRepeatable(request) ? this.#options.attempts : 1;
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt + 1 >= attempts;
      const outcome = await this.#attempt(connection, complete, end, isLast);
      if ("response" in outcome) return outcome.response;
      await pause(outcome.retryAfter ?? backoffMs(attempt), end);
    }
  }

  async #attempt(
    connection: HttpConnection,
    request: Complete,
    end: AbortSignal,
    isLast: boolean,
  ): Promise<{ readonly response: AcpResponse } | { readonly retryAfter: number | undefined }> {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs);
    let answer: Response;
    let envelope: Envelope;
    try {
      answer = await connection.fetch(
        "/acp/v1/dispatch",
        {
          method: "POST",
          headers: { "content-type": "application/json", "acp-version": request.acp_version },
          body: JSON.stringify(request),
        },
        AbortSignal.any([end, timeout]),
      );
      envelope = await connection.envelope(answer);
    } catch (error) {
      end.throwIfAborted();
      if (!isLast) return { retryAfter: undefined };
      throw timeout.aborted ? connection.unreachable("it does not answer in time", error) : error;
    }
    const { error } = envelope;
    if (error !== null) {
      const asked: Asked = { operation: request.operation, version: request.acp_version };
      const raised = raisedError(error, asked);
      if (raised !== undefined) throw raised;
      const retryAfter =
        error.retry_after_ms ?? retryAfterMs(answer.headers.get("retry-after"), Date.now());
      const isPatient = retryAfter === undefined || retryAfter <= LONGEST_WAIT_MS;
      // A deadline that passed is an answer.
      const mayHelp = error.retryable === true && error.code !== "TIMEOUT";
      if (mayHelp && !isLast && isPatient) return { retryAfter };
    }
    return { response: envelope as AcpResponse };
  }

  /**
   * Events as they come, over lost connections and restarts of the server, each once and in order. Without `after` a `snapshot` comes
   * first. Ends when the plan of `plan_id` can change no more, when the signal aborts or after `disconnect()`.
   * @throws AcpNotAvailableError without a connection, or when no server answers for 5 minutes; the error of an answer that repeating
   * does not mend: FACADE_AUTH_ERROR, FACADE_FORBIDDEN, FACADE_NOT_FOUND, FACADE_CURSOR_EXPIRED, FACADE_VALIDATION_ERROR
   */
  events(query: EventsQuery = {}): AsyncIterable<AcpEvent> {
    return resumedEvents(this.#connected(), query, this.#options.giveUpMs);
  }

  /** Ends requests and streams that wait. */
  async disconnect(): Promise<void> {
    this.#connection?.close();
    this.#connection = undefined;
  }

  isConnected(): boolean {
    return this.#connection !== undefined;
  }

  #connected(): HttpConnection {
    if (this.#connection !== undefined) return this.#connection;
    throw new AcpNotAvailableError("There is no connection to a server; call connect(url) first.");
  }
}

/** Twice the same does no harm. What this build does not know may change something. */
function isRepeatable({ operation, idempotency_key: key }: AcpRequest): boolean {
  return key !== undefined || OPERATIONS.get(operation)?.mutating === false;
}

/** @throws AcpVersionMismatchError when the server speaks none of ours */
function negotiate(offered: unknown): void {
  const versions = Array.isArray(offered) ? offered.filter((one) => typeof one === "string") : [];
  const ours = AcpVersionNegotiator.SUPPORTED;
  if (versions.some((version) => ours.includes(version))) return;
  throw new AcpVersionMismatchError(ACP_VERSION, versions);
}

function anySignal(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal {
  return AbortSignal.any([one, other].filter((signal) => signal !== undefined));
}
