import { createId } from "@acumen/core";
import { ACP_VERSION, type AcpRequest, requestIdOf } from "../envelope/acp-request.ts";
import type { AcpEvent } from "../envelope/acp-event.ts";
import type { AcpResponse } from "../envelope/acp-response.ts";
import { jsonCopy } from "../envelope/json-copy.ts";
import { isObject } from "../envelope/json-value.ts";
import { AcpVersionNegotiator } from "../envelope/version-negotiator.ts";
import { AcpNotAvailableError, AcpVersionMismatchError } from "../errors/acp-error.ts";
import { mapDomainError } from "../errors/map-domain-error.ts";
import { OPERATIONS } from "../operations/operation-table.ts";
import { invalidAt } from "../operations/parse-params.ts";
import { backoffMs, pause, retryAfterMs } from "./backoff.ts";
import { type Envelope, HttpConnection } from "./http-connection.ts";
import { type EventsQuery, resumedEvents } from "./resumed-events.ts";
import { mayHaveArrived, unknownOutcome } from "./unknown-outcome.ts";
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
  /** A stream of events that brings no byte for so long is taken for dead. Default 45 s, three heartbeats of the server. */
  readonly silenceMs?: number;
}

export interface SendOptions {
  /** Ends the waiting; what the server has begun goes on. */
  readonly signal?: AbortSignal;
}

/** Worth another attempt. */
interface Again {
  readonly retryAfter?: number | undefined;
  /** Absent when the server answered. */
  readonly failure?: unknown;
}

const CONNECT_MS = 10_000;
/** A server that wants more patience than this gets its answer handed on. */
const LONGEST_WAIT_MS = 30_000;

interface Repetition {
  readonly end: AbortSignal;
  readonly attempts: number;
  /** Of the attempts that did not bring an answer. */
  readonly failures: unknown[];
}

/** What goes over the wire, made once: every attempt sends the same. */
interface Outgoing extends Asked {
  readonly body: string;
}

/** The protocol over HTTP: answers and raises what `AcpLocalFacade.dispatch` does. */
export class AcpHttpTransport {
  readonly #options: Required<AcpHttpTransportOptions>;
  #connection: HttpConnection | undefined;
  /** Being made. */
  #next: HttpConnection | undefined;

  constructor(options: AcpHttpTransportOptions) {
    this.#options = {
      attempts: 5,
      timeoutMs: 60_000,
      giveUpMs: 5 * 60_000,
      silenceMs: 45_000,
      ...options,
    };
  }

  /**
   * Agrees on a version with a server. An earlier connection ends, also one that is still being made.
   * @param url such as http://127.0.0.1:4747
   * @throws AcpNotAvailableError, AcpVersionMismatchError; AuthenticationError for the token; ValidationError for the address
   */
  async connect(url: string, { signal }: SendOptions = {}): Promise<void> {
    await this.disconnect();
    const connection = new HttpConnection(url, this.#options.token);
    this.#next = connection;
    const limit = AbortSignal.any([
      anySignal(signal, connection.signal),
      AbortSignal.timeout(CONNECT_MS),
    ]);
    try {
      const response = await connection.fetch("/acp/v1/describe", {}, limit);
      const { error, data } = await connection.envelope(response);
      if (error !== null)
        throw errorOf(error, { operation: "system.describe", version: ACP_VERSION });
      negotiate(data["supported_versions"]);
    } catch (error) {
      signal?.throwIfAborted();
      connection.signal.throwIfAborted();
      if (limit.aborted)
        throw connection.unreachable("it does not answer in time", { cause: error });
      throw error;
    } finally {
      if (this.#next === connection) this.#next = undefined;
    }
    connection.signal.throwIfAborted();
    this.#connection = connection;
  }

  /**
   * Reads, and changes with an idempotency key, are sent again when the connection or the server fails for the moment; any other change
   * never is. When its answer does not come, the error has `details.outcome: "unknown"` unless it surely never arrived.
   * @throws AcpOperationNotFoundError, AcpVersionMismatchError; AcpNotAvailableError when there is no server, or no connection yet
   */
  async send(request: AcpRequest, { signal }: SendOptions = {}): Promise<AcpResponse> {
    const connection = this.#connected();
    const outgoing = outgoingOf(request);
    if ("status" in outgoing) return outgoing;
    const end = anySignal(connection.signal, signal);
    const isRead = OPERATIONS.get(request.operation)?.mutating === false;
    const isKeyed = request.idempotency_key !== undefined;
    // Twice the same does no harm. What this build does not know may change something.
    const attempts = isRead || isKeyed ? this.#options.attempts : 1;
    const failures: unknown[] = [];
    try {
      return await this.#repeat(connection, outgoing, { end, attempts, failures });
    } catch (error) {
      if (isRead || !(error instanceof AcpNotAvailableError)) throw error;
      const isClosed = error === connection.signal.reason;
      if (!isClosed && ![...failures, error].some(mayHaveArrived)) throw error;
      throw unknownOutcome(error, { operation: request.operation, isKeyed });
    }
  }

  async #repeat(
    connection: HttpConnection,
    outgoing: Outgoing,
    { end, attempts, failures }: Repetition,
  ): Promise<AcpResponse> {
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt + 1 >= attempts;
      const outcome = await this.#attempt(connection, outgoing, end, isLast);
      if ("response" in outcome) return outcome.response;
      if (outcome.failure !== undefined) failures.push(outcome.failure);
      await pause(outcome.retryAfter ?? backoffMs(attempt), end);
    }
  }

  async #attempt(
    connection: HttpConnection,
    { body, ...asked }: Outgoing,
    end: AbortSignal,
    isLast: boolean,
  ): Promise<{ readonly response: AcpResponse } | Again> {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs);
    let answer: Response;
    let envelope: Envelope;
    try {
      answer = await connection.fetch(
        "/acp/v1/dispatch",
        {
          method: "POST",
          headers: { "content-type": "application/json", "acp-version": asked.version },
          body,
        },
        AbortSignal.any([end, timeout]),
      );
      envelope = await connection.envelope(answer);
    } catch (error) {
      end.throwIfAborted();
      const failure = timeout.aborted
        ? connection.unreachable("it does not answer in time", { cause: error })
        : error;
      const mayHelp = failure instanceof AcpNotAvailableError && failure.retryable;
      if (isLast || !mayHelp) throw failure;
      return { failure };
    }
    const { error } = envelope;
    if (error !== null) {
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
    return resumedEvents(this.#connected(), query, this.#options);
  }

  /** Ends requests and streams that wait. */
  async disconnect(): Promise<void> {
    this.#next?.close();
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

/** The request as text, complete; or the answer that local dispatch has for what is no JSON. Who asks is said by the token alone. */
function outgoingOf(request: AcpRequest): Outgoing | AcpResponse {
  const copy = jsonCopy(request);
  const fault = "fault" in copy ? copy.fault : { path: [], message: "expected an object" };
  if ("fault" in copy || !isObject(copy.value)) {
    return {
      acp_version: ACP_VERSION,
      request_id: requestIdOf(request),
      status: "error",
      data: {},
      error: mapDomainError(invalidAt("The request is not valid", [fault])),
      timing_ms: 0,
    };
  }
  const plain = copy.value as unknown as AcpRequest;
  const { acp_version: version = ACP_VERSION, request_id: id = createId(), operation } = plain;
  const complete = { ...plain, acp_version: version, request_id: id, auth: null };
  return { operation, version, body: JSON.stringify(complete) };
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
