import { type Clock, createId, type Logger } from "@acumen/core";
import { type HttpBindings, RequestError } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import type { Principal } from "../access/principal.ts";
import type { AcpLocalFacade } from "../dispatch/acp-local-facade.ts";
import { type AcpRequest, requestIdOf } from "../envelope/acp-request.ts";
import { AcpVersionNegotiator } from "../envelope/version-negotiator.ts";
import { AcpNotAvailableError } from "../errors/acp-error.ts";
import { ValidationError } from "../errors/domain-error.ts";
import { knownErrorDetail, mapDomainError } from "../errors/map-domain-error.ts";
import type { AcpEventQueue } from "../events/acp-event-queue.ts";
import { OPERATIONS } from "../operations/operation-table.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import type { TokenRegistry } from "../tokens/token-registry.ts";
import { authenticate } from "./authenticate.ts";
import { preflightAnswer, shareWith } from "./cross-origin.ts";
import { type AnswerParts, answerParts, probed, refusal } from "./envelope-answer.ts";
import { EVENTS_PATH, readEventQuery } from "./event-query.ts";
import { EventStreams } from "./event-streams.ts";
import { openApiDocument } from "./open-api.ts";
import { checkOrigin, type OriginGuardOptions } from "./origin-guard.ts";
import { readRequest } from "./read-request.ts";
import { RequestLimits } from "./request-limits.ts";
import type { ServerLimits } from "./server-limits.ts";

export interface FacadeAppOptions extends OriginGuardOptions {
  readonly facade: AcpLocalFacade;
  readonly tokens: TokenRegistry;
  readonly queue: AcpEventQueue;
  readonly store: FacadeStore;
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The server is closing and takes no new requests. */
  readonly isDraining?: () => boolean;
}

export interface FacadeApp {
  readonly fetch: Hono["fetch"];
  readonly streams: EventStreams;
  /** For what fails outside the routes. */
  readonly failure: (error: unknown, requestId?: string) => Response;
}

/** The routes of a server, without a socket. */
export function createFacadeApp(options: FacadeAppOptions): FacadeApp {
  const { clock, isDraining = () => false } = options;
  const requests = new RequestLimits(options.limits, clock);
  const streams = new EventStreams({ ...options, requests });
  const failure = failureAnswer(options.logger);
  const app = new Hono();
  app.get("/livez", () => probed());
  app.get("/readyz", async () => {
    if (isDraining()) return failure(drained());
    return (await answers(options.store)) ? probed() : failure(unready());
  });
  app.use(async (context, next) => {
    const { headers, method } = context.req.raw;
    const origin = headers.get("origin");
    checkOrigin(headers, options);
    if (isDraining()) throw drained();
    if (origin !== null && method === "OPTIONS") context.res = preflightAnswer();
    else await next();
    if (origin !== null) shareWith(origin, context.res.headers);
  });
  app.post("/acp/v1/dispatch", async (context) => {
    const { req } = context;
    const principal = await authenticate(req.raw.headers, options.tokens);
    const finish = requests.beginRequest(principal);
    try {
      const request = await readRequest(req.raw, bindingsOf(context).incoming);
      try {
        if (isMutating(request)) requests.takeMutation(principal);
        return answered(context, await dispatched(options.facade, request, principal));
      } catch (error) {
        return failure(error, requestIdOf(request));
      }
    } finally {
      finish();
    }
  });
  app.get("/acp/v1/describe", async (context) => {
    const { req } = context;
    const principal = await authenticate(req.raw.headers, options.tokens);
    const finish = requests.beginRequest(principal);
    try {
      const version = req.header("acp-version");
      const request = { operation: "system.describe", ...(version && { acp_version: version }) };
      return answered(context, await dispatched(options.facade, request, principal));
    } finally {
      finish();
    }
  });
  app.get(EVENTS_PATH, async (context) => {
    const { req } = context;
    const principal = await authenticate(req.raw.headers, options.tokens);
    const version = req.header("acp-version");
    if (version !== undefined) new AcpVersionNegotiator().negotiate(version);
    const query = readEventQuery(new URL(req.url).searchParams, req.raw.headers);
    // Nobody would read the stream, or end it.
    if (req.raw.method === "HEAD") return streams.head(principal);
    return streams.open(query, principal, () => void bindingsOf(context).outgoing?.destroy());
  });
  app.get("/openapi.json", async ({ req }) => {
    await authenticate(req.raw.headers, options.tokens);
    return Response.json(openApiDocument());
  });
  app.notFound(({ req }) =>
    refusal({
      code: "NOT_FOUND",
      message: `There is no ${req.method} ${req.path.slice(0, 200)} here.`,
      details: {},
    }),
  );
  app.onError((error) => failure(error));
  return { fetch: app.fetch, streams, failure };
}

async function dispatched(
  facade: AcpLocalFacade,
  request: AcpRequest,
  principal: Principal,
): Promise<AnswerParts> {
  const headers: Record<string, string> = {};
  const onReplayed = (): void => void (headers["idempotency-replayed"] = "true");
  // Not bound to the connection: what was begun for a client that goes away is carried out.
  return answerParts(await facade.dispatch(request, { principal, onReplayed }), headers);
}

/** Straight to the socket where there is one: an answer by way of `Response` takes twice as long. */
function answered(context: Context, { status, headers, body }: AnswerParts): Response {
  const { outgoing } = bindingsOf(context);
  const isForPage = context.req.raw.headers.has("origin");
  if (outgoing === undefined || isForPage) return new Response(body, { status, headers });
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  outgoing.end(body);
  return RESPONSE_ALREADY_SENT;
}

function isMutating({ operation }: AcpRequest): boolean {
  return OPERATIONS.get(operation)?.mutating ?? false;
}

function failureAnswer(logger: Logger): FacadeApp["failure"] {
  return (error, requestId = createId()) => {
    const known = knownErrorDetail(error);
    if (known !== undefined) return refusal(known, { requestId });
    if (error instanceof RequestError) return refusal(mapDomainError(noAddress()), { requestId });
    const correlationId = createId();
    logger.error("a request failed unexpectedly", { correlationId, cause: error });
    return refusal(mapDomainError(error, correlationId), { requestId });
  };
}

/** Such as `OPTIONS *`, or a Host that is no name: there is no URL to route by. */
function noAddress(): ValidationError {
  return new ValidationError("The request's path or Host is no address.");
}

async function answers(store: FacadeStore): Promise<boolean> {
  try {
    await store.eventBounds("local");
    return true;
  } catch {
    return false;
  }
}

function unready(): AcpNotAvailableError {
  return new AcpNotAvailableError("The store of the server does not answer.", { retryable: true });
}

function drained(): AcpNotAvailableError {
  return new AcpNotAvailableError("The server is closing; send the request again soon.", {
    retryable: true,
    details: { retry_after_ms: 1_000 },
  });
}

/** What stands behind a request of a real server. */
function bindingsOf({ env }: Context): Partial<HttpBindings> {
  return (env ?? {}) as Partial<HttpBindings>;
}
