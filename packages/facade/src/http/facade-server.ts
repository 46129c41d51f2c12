import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, errnoOf, type Logger } from "@acumen/core";
import { getRequestListener } from "@hono/node-server";
import type { AcpLocalFacade } from "../dispatch/acp-local-facade.ts";
import { ConfigurationError } from "../errors/domain-error.ts";
import type { AcpEventQueue } from "../events/acp-event-queue.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import type { TokenRegistry } from "../tokens/token-registry.ts";
import { createFacadeApp } from "./facade-app.ts";
import { answerBrokenRequest, answerExpectation } from "./broken-request.ts";
import { isLoopback, pageOrigins, servedHosts } from "./origin-guard.ts";
import { SERVER_LIMITS, type ServerLimits } from "./server-limits.ts";

export interface FacadeServerOptions {
  readonly facade: AcpLocalFacade;
  readonly queue: AcpEventQueue;
  readonly tokens: TokenRegistry;
  readonly store: FacadeStore;
  /** Address to listen at, such as `127.0.0.1`. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Host names that requests may name beside the loopback ones, without port. */
  readonly hosts?: readonly string[];
  /** Pages that may send requests, such as `https://ui.example`. */
  readonly origins?: readonly string[];
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Listens beyond this machine without TLS. */
  readonly insecureBind?: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: Partial<ServerLimits>;
}

export interface FacadeServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Takes nothing new, lets requests finish for 5 s, ends streams so that they resume, and closes. Store and queue stay open. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 30_000;
const CHECK_MS = 1_000;

/**
 * Serves a facade over HTTP.
 * @throws ConfigurationError when the address reaches beyond this machine without TLS, is in use or cannot be had, and when
 * the certificate, a host or an origin is none
 */
export async function startFacadeServer(options: FacadeServerOptions): Promise<FacadeServer> {
  checkBind(options);
  const { host, hosts = [], origins = [], tls, logger } = options;
  const limits = { ...SERVER_LIMITS, ...options.limits };
  let isDraining = false;
  const app = createFacadeApp({
    ...options,
    limits,
    origins: pageOrigins(origins),
    hosts: [
      ...servedHosts(hosts),
      ...(isLoopback(host) ? [] : [host, hostname()].map((name) => name.toLowerCase())),
    ],
    acceptsAddresses: !isLoopback(host),
    isDraining: () => isDraining,
  });
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: (error) => app.failure(error),
  });
  const server = serverFor(tls, limits.headMs);
  const answering = new Answering();
  server.on("request", (request, response) => {
    answering.add(response);
    void listener(request, response);
  });
  server.headersTimeout = limits.headMs;
  server.requestTimeout = limits.requestMs;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("clientError", answerBrokenRequest);
  server.on("checkExpectation", answerExpectation);
  const port = await listen(server, options);
  server.on("error", (error) => logger.error("the server failed", { error: error.name }));
  const close = async (): Promise<void> => {
    isDraining = true;
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    const drained = app.streams.shutDown().then(() => answering.none());
    await Promise.race([drained, sleep(limits.drainMs, undefined, { ref: false })]);
    server.closeAllConnections();
    await closed;
  };
  let closing: Promise<void> | undefined;
  return {
    url: `${tls === undefined ? "http" : "https"}://${urlHost(host)}:${port}`,
    port,
    close: () => (closing ??= close()),
  };
}

function serverFor(tls: FacadeServerOptions["tls"], headMs: number): Server {
  const timing = {
    connectionsCheckingInterval: Math.min(CHECK_MS, headMs),
    // The guard of host names refuses one without, and says so in an envelope.
    requireHostHeader: false,
  };
  if (tls === undefined) return createServer(timing);
  try {
    return createTlsServer({ ...timing, ...tls, handshakeTimeout: headMs });
  } catch (cause) {
    throw new ConfigurationError(
      "The certificate and the key of TLS cannot be used; give two PEM files that belong together, the key without a passphrase.",
      { cause },
    );
  }
}

/** What is being answered. A connection without a request, which clients keep ready, holds nothing up. */
class Answering {
  #count = 0;
  #whenNone: () => void = () => undefined;

  add(response: ServerResponse): void {
    this.#count += 1;
    response.once("close", () => {
      this.#count -= 1;
      if (this.#count === 0) this.#whenNone();
    });
  }

  async none(): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve;
    });
  }
}

function checkBind({ host, tls, insecureBind = false }: FacadeServerOptions): void {
  if (isLoopback(host) || tls !== undefined || insecureBind) return;
  throw new ConfigurationError(
    `The address ${host} can be reached from other machines, so tokens would travel in clear text. Give a certificate (--tls-cert, --tls-key), listen at 127.0.0.1, or pass --insecure-bind when something in front of it encrypts.`,
    { details: { host } },
  );
}

async function listen(
  server: Server,
  { host, port }: Pick<FacadeServerOptions, "host" | "port">,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const onError = (error: Error): void => reject(cannotListen(host, port, error));
    server.once("error", onError);
    server.listen({ host, port }, () => {
      server.off("error", onError);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

function cannotListen(host: string, port: number, cause: Error): ConfigurationError {
  const errno = errnoOf(cause) ?? cause.name;
  const reason =
    errno === "EADDRINUSE"
      ? "another process listens there; stop it, or choose another port with --port"
      : `${errno}; choose another address or port`;
  return new ConfigurationError(`The server cannot listen at ${host}:${port}: ${reason}.`, {
    cause,
    details: { host, port, errno },
  });
}

function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
