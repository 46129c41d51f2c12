import {
  closest,
  createId,
  type Clock,
  type Logger,
  silentLogger,
  systemClock,
} from "@acumen/core";
import { LOCAL_PRINCIPAL, type Principal } from "../access/principal.ts";
import type { AcpErrorDetail } from "../envelope/acp-error-detail.ts";
import {
  ACP_VERSION,
  type AcpRequest,
  type ParsedAcpRequest,
  requestIdOf,
} from "../envelope/acp-request.ts";
import type { AcpResponse } from "../envelope/acp-response.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import { AcpVersionNegotiator } from "../envelope/version-negotiator.ts";
import type { AcpEvent } from "../envelope/acp-event.ts";
import { AcpOperationNotFoundError } from "../errors/acp-error.ts";
import { isAfterChange, shownAfterChange } from "../errors/after-change.ts";
import { AuthorizationError, ConfigurationError, ValidationError } from "../errors/domain-error.ts";
import { knownErrorDetail, mapDomainError } from "../errors/map-domain-error.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATION_LIST, OPERATIONS } from "../operations/operation-table.ts";
import { parseParams } from "../operations/parse-params.ts";
import type { PlanExecutor } from "../plans/plan-executor.ts";
import type { PlanLifecycle } from "../plans/plan-lifecycle.ts";
import type { EventQueueService } from "../services/event-queue-service.ts";
import type { ServiceKey, ServiceMap } from "../services/service-map.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import { KeyedRequests } from "./keyed-requests.ts";
import { checkService } from "./check-service.ts";
import { LocalSubscriptions } from "./local-subscriptions.ts";
import type { RequestFacts } from "./request-context.ts";
import { readEnvelope } from "./read-envelope.ts";
import { RunningRequests } from "./running-requests.ts";
import { ServiceLocator } from "./service-locator.ts";
import { checkRegistered, withDefaults } from "./with-defaults.ts";

export interface AcpLocalFacadeOptions {
  /** Replace the defaults one by one. Default: real ones in memory, without an executor of plans. */
  readonly services?: Partial<ServiceMap>;
  /** Where keyed requests are remembered, and whatever the default services keep. Default: that of the event queue. */
  readonly store?: FacadeStore;
  /** Folders that the default services make plans for. Default: the working directory of the process. */
  readonly projects?: readonly string[];
  /** Where the default services keep sandboxes, absolute. Default: a folder of its own among the system's temporary files. */
  readonly home?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

export interface DispatchOptions {
  /** Default: the user of this process, with all scopes. */
  readonly principal?: Principal;
  /** Ends the waiting, never the work of a plan. */
  readonly signal?: AbortSignal;
  /** Called when the answer is that of an earlier request with the same idempotency key. */
  readonly onReplayed?: () => void;
}

interface Answers {
  readonly ok: (data: JsonObject) => AcpResponse;
  readonly failed: (error: unknown) => AcpResponse;
}

/** The protocol in process: every client, our own included, comes through `dispatch`. */
export class AcpLocalFacade implements AsyncDisposable {
  readonly #services: Partial<ServiceMap>;
  /** Those that are not the default ones. */
  readonly #own: Partial<ServiceMap>;
  readonly #locator: ServiceLocator;
  readonly #negotiator = new AcpVersionNegotiator();
  readonly #keyed: KeyedRequests;
  readonly #requests = new RunningRequests();
  readonly #closeDefaults: () => Promise<void>;
  #plans: PlanLifecycle | undefined;
  /** Of a user's own queue that has none. */
  #subscriptions: LocalSubscriptions | undefined;
  #closing: Promise<void> | undefined;
  readonly #clock: Clock;
  readonly #logger: Logger;

  /** @throws ConfigurationError when the services do not fit together */
  constructor(options: AcpLocalFacadeOptions = {}) {
    const { clock = systemClock, logger = silentLogger } = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#own = { ...options.services };
    const { services, store, plans, close } = withDefaults({
      ...options,
      current: () => this.#own,
      clock,
      logger,
    });
    this.#plans = plans;
    this.#closeDefaults = close;
    this.#services = services;
    this.#useQueue(services.event_queue);
    this.#locator = new ServiceLocator(services);
    this.#keyed = new KeyedRequests(store, clock);
  }

  /** @throws ConfigurationError for an unknown key, or a service that lacks what its key needs; AcpNotAvailableError after a close */
  registerService<Key extends ServiceKey>(key: Key, service: NonNullable<ServiceMap[Key]>): void {
    this.#requests.checkOpen();
    checkService(key, service);
    checkRegistered(key, service, this.#own);
    if (key === "plan_executor") this.#useExecutor(service as PlanExecutor);
    if (key === "plan_lifecycle_service") this.#plans = undefined;
    this.#services[key] = service;
    this.#own[key] = service;
    if (key === "event_queue") this.#useQueue(service as EventQueueService);
  }

  /** Names of all operations, sorted. */
  listOperations(): readonly string[] {
    return OPERATION_LIST.map(({ name }) => name);
  }

  /**
   * Carries out one request. What goes wrong in it is in the answer.
   * @throws AcpOperationNotFoundError, AcpVersionMismatchError; nothing else
   */
  async dispatch(request: AcpRequest, options: DispatchOptions = {}): Promise<AcpResponse> {
    const started = this.#clock.monotonicMs();
    const timing = (): number => Math.max(0, this.#clock.monotonicMs() - started);
    const parsed = readEnvelope(request);
    if (parsed instanceof ValidationError) {
      const head = { acp_version: ACP_VERSION, request_id: requestIdOf(request) };
      const error = mapDomainError(parsed);
      return { ...head, status: "error", data: {}, error, timing_ms: timing() };
    }
    const version = this.#negotiator.negotiate(parsed.acp_version);
    const id = parsed.request_id;
    const operation = operationNamed(parsed.operation);
    // Each field by name: spreading objects costs more than all the rest here.
    const ok = (data: JsonObject): AcpResponse => ({
      acp_version: version,
      request_id: id,
      status: "ok",
      data,
      error: null,
      timing_ms: timing(),
    });
    const failed = (error: unknown): AcpResponse => ({
      acp_version: version,
      request_id: id,
      status: "error",
      data: {},
      error: knownErrorDetail(error) ?? this.#unexpected(error, parsed),
      timing_ms: timing(),
    });
    try {
      return await this.#answer(operation, parsed, options, { ok, failed });
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * Reads a subscription that `event.subscribe` opened, until the signal aborts or it ends.
   * @throws AcpNotAvailableError when the queue is a user's own without streams; ResourceNotFoundError for somebody else's
   */
  events(
    subscriptionId: string,
    {
      principal = LOCAL_PRINCIPAL,
      signal = new AbortController().signal,
    }: Pick<DispatchOptions, "principal" | "signal"> = {},
  ): AsyncIterable<AcpEvent> {
    this.#requests.checkOpen();
    const read = this.#locator.method("event_queue", "events");
    return read(subscriptionId, { principal, signal });
  }

  /**
   * Answers nothing any more, but with NOT_AVAILABLE; requests that wait are answered so. Ends what the facade made itself: default services,
   * their plans at work, a store and a folder of sandboxes that nobody gave. What was given stays as it is.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#requests.close();
    this.#subscriptions?.close();
    await this.#closeDefaults();
  }

  async #answer(
    operation: Operation,
    request: ParsedAcpRequest,
    options: DispatchOptions,
    { ok, failed }: Answers,
  ): Promise<AcpResponse> {
    const { name, scope, mutating } = operation;
    const { principal = LOCAL_PRINCIPAL, onReplayed } = options;
    this.#requests.checkOpen();
    if (scope !== null && !principal.scopes.includes(scope)) throw lacksScope(name, scope);
    const params = parseParams(name, operation.params, request.params);
    const end = endOf(options.signal, request.deadline_ms);
    const facts: RequestFacts = {
      principal,
      requestId: request.request_id,
      services: this.#locator,
      operations: OPERATION_LIST,
    };
    const key = mutating ? request.idempotency_key : undefined;
    if (key === undefined) {
      const output = await this.#requests.run(operation, params, facts, end);
      return ok(operation.output.parse(output) as JsonObject);
    }
    const run = async (reservedId: string): Promise<AcpResponse> => {
      try {
        const output = await this.#requests.run(operation, params, { ...facts, reservedId }, end);
        return ok(shownAfterChange(() => keptOutput(operation, output)));
      } catch (error) {
        if (isAfterChange(error)) return failed(error);
        throw error;
      }
    };
    const keyed = { principal, operation: name, params: request.params, key };
    const { response, replayed } = await this.#requests.around(
      this.#keyed.once(keyed, run),
      operation,
      end,
    );
    if (!replayed) return response;
    onReplayed?.();
    const { timing_ms: timing } = ok({});
    return { ...response, request_id: request.request_id, timing_ms: timing };
  }

  /** One that calls back and does no more gets its subscriptions here. */
  #useQueue(queue: EventQueueService | undefined): void {
    this.#subscriptions?.close();
    this.#subscriptions = undefined;
    if (queue === undefined || queue.open !== undefined) return;
    const parts = { clock: this.#clock, logger: this.#logger };
    this.#subscriptions = new LocalSubscriptions(queue, parts);
    Object.assign(this.#services, { event_queue: this.#subscriptions });
  }

  #useExecutor(executor: PlanExecutor): void {
    if (this.#plans === undefined) {
      throw new ConfigurationError(
        "A plan_executor is of no use to a plan_lifecycle_service of a user's own, which would never ask it.",
      );
    }
    this.#plans.useExecutor(executor).catch((cause: unknown) => {
      this.#logger.error("plans that waited for an executor did not go on", { cause });
    });
  }

  #unexpected(error: unknown, request: ParsedAcpRequest): AcpErrorDetail {
    const { operation, request_id: requestId, trace } = request;
    const correlationId = createId();
    const facts = { correlationId, operation, requestId, ...trace, cause: error };
    try {
      this.#logger.error("a request failed unexpectedly", facts);
    } catch {
      // A logger that fails is no reason to leave a request without its answer.
    }
    return mapDomainError(error, correlationId);
  }
}

function operationNamed(name: string): Operation {
  const operation = OPERATIONS.get(name);
  if (operation !== undefined) return operation;
  throw new AcpOperationNotFoundError(name, closest(name, [...OPERATIONS.keys()]));
}

/** As JSON, so that it can be kept. @throws when a user's own service gave something else */
function keptOutput(operation: Operation, output: unknown): JsonObject {
  return JSON.parse(JSON.stringify(operation.output.parse(output))) as JsonObject;
}

function lacksScope(name: string, scope: string): AuthorizationError {
  return new AuthorizationError(
    `${name} needs the scope ${scope}, which the token does not have.`,
    {
      details: { scope },
    },
  );
}

function endOf(signal: AbortSignal | undefined, deadlineMs: number | undefined) {
  if (deadlineMs === undefined) return signal;
  const deadline = AbortSignal.timeout(deadlineMs);
  return signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
}
