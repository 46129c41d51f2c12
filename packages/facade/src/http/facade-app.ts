import { type Clock, createId, type Logger } from "@acumen/core";
import { Hono } from "hono";
import type { Principal } from "../access/principal.ts";
import type { AcpLocalFacade } from "../dispatch/acp-local-facade.ts";
import { AuthenticationError } from "../errors/domain-error.ts";
import { knownErrorDetail, mapDomainError } from "../errors/map-domain-error.ts";
import type { AcpEventQueue } from "../events/acp-event-queue.ts";
import type { TokenRegistry } from "../tokens/token-registry.ts";
import { envelopeAnswer, refusal } from "./envelope-answer.ts";
import { checkOrigin, type OriginGuardOptions } from "./origin-guard.ts";
import { readRequest } from "./read-request.ts";

export interface FacadeAppOptions extends OriginGuardOptions {
  readonly facade: AcpLocalFacade;
  readonly tokens: TokenRegistry;
  readonly queue: AcpEventQueue;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The routes of a server, without a socket. */
export function createFacadeApp(options: FacadeAppOptions): Hono {
  const { facade, logger } = options;
  const app = new Hono();
  app.get("/livez", (context) => context.json({ status: "ok" }));
  app.get("/readyz", (context) => context.json({ status: "ok" }));
  app.use(async ({ req }, next) => {
    checkOrigin(req.raw.headers, options);
    await next();
  });
  app.post("/acp/v1/dispatch", async ({ req }) => {
    const principal = await authenticated(req.raw, options.tokens);
    const request = await readRequest(req.raw);
    const headers: Record<string, string> = {};
    const onReplayed = (): void => void (headers["idempotency-replayed"] = "true");
    return envelopeAnswer(await facade.dispatch(request, { principal, onReplayed }), headers);
  });
  app.notFound(({ req }) =>
    refusal({
      code: "NOT_FOUND",
      message: `There is no ${req.method} ${req.path.slice(0, 200)} here.`,
      details: {},
    }),
  );
  app.onError((error) => {
    const known = knownErrorDetail(error);
    if (known !== undefined) return refusal(known);
    const correlationId = createId();
    logger.error("a request failed unexpectedly", { correlationId, cause: error });
    return refusal(mapDomainError(error, correlationId));
  });
  return app;
}

/** @throws AuthenticationError */
async function authenticated(request: Request, tokens: TokenRegistry): Promise<Principal> {
  const [, token] = /^Bearer ([^\s]+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (token === undefined) {
    throw new AuthenticationError(
      "The request has no bearer token; send Authorization: Bearer acm_…",
    );
  }
  const principal = await tokens.principalOf(token);
  if (principal !== undefined) return principal;
  throw new AuthenticationError(
    "The token is unknown, expired or revoked; make one with `acumen token create`.",
  );
}
