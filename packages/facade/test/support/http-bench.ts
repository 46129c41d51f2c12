import { type Clock, type Logger, silentLogger, systemClock } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { type Scope, SCOPES } from "../../src/access/scope.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { AcpResponse } from "../../src/envelope/acp-response.ts";
import { AcpEventQueue, type EventQueueLimits } from "../../src/events/acp-event-queue.ts";
import {
  type FacadeServer,
  type FacadeServerOptions,
  startFacadeServer,
} from "../../src/http/facade-server.ts";
import type { ServiceMap } from "../../src/services/service-map.ts";
import type { FacadeStore } from "../../src/store/facade-store.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { TokenRegistry } from "../../src/tokens/token-registry.ts";

export interface HttpBenchOptions {
  readonly store?: FacadeStore;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly limits?: FacadeServerOptions["limits"];
  readonly queueLimits?: EventQueueLimits;
  /** Over the store that is given. Default: one of its own. */
  readonly queue?: AcpEventQueue;
  /** Default: an empty folder. */
  readonly projects?: readonly string[];
  readonly services?: Partial<ServiceMap>;
  readonly origins?: readonly string[];
  readonly hosts?: readonly string[];
  readonly tls?: FacadeServerOptions["tls"];
  readonly host?: string;
  readonly insecureBind?: boolean;
  readonly port?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AcpResponse;
}

/** A server at a free port of the loopback address, with everything real behind it. */
export class HttpBench {
  readonly server: FacadeServer;
  readonly store: FacadeStore;
  readonly queue: AcpEventQueue;
  readonly tokens: TokenRegistry;
  /** Of the local owner, with all scopes. */
  readonly token: string;
  readonly tokenId: string;
  readonly #remove: () => Promise<void>;

  private constructor(
    parts: Pick<HttpBench, "server" | "store" | "queue" | "tokens" | "token" | "tokenId">,
    remove: () => Promise<void>,
  ) {
    this.server = parts.server;
    this.store = parts.store;
    this.queue = parts.queue;
    this.tokens = parts.tokens;
    this.token = parts.token;
    this.tokenId = parts.tokenId;
    this.#remove = remove;
  }

  static async start(options: HttpBenchOptions = {}): Promise<HttpBench> {
    const { clock = systemClock, logger = silentLogger, limits, queueLimits } = options;
    const folder = await tempFolder();
    const store = options.store ?? new MemoryFacadeStore({ clock });
    const limited = queueLimits === undefined ? {} : { limits: queueLimits };
    const queue = options.queue ?? new AcpEventQueue({ store, clock, logger, ...limited });
    const facade = new AcpLocalFacade({
      store,
      clock,
      logger,
      projects: options.projects ?? [folder.path],
      home: folder.join("home"),
      services: { event_queue: queue, ...options.services },
    });
    const tokens = new TokenRegistry(store, clock);
    const { token, record } = await tokens.create({ scopes: SCOPES });
    const starting = startFacadeServer({
      facade,
      queue,
      tokens,
      store,
      host: options.host ?? "127.0.0.1",
      port: options.port ?? 0,
      clock,
      logger,
      ...(options.hosts !== undefined && { hosts: options.hosts }),
      ...(options.tls !== undefined && { tls: options.tls }),
      ...(options.insecureBind !== undefined && { insecureBind: options.insecureBind }),
      ...(options.origins !== undefined && { origins: options.origins }),
      ...(limits !== undefined && { limits }),
    });
    const server = await starting.catch(async (error: unknown) => {
      await folder.remove();
      throw error;
    });
    const parts = { server, store, queue, tokens, token, tokenId: record.token_id };
    return new HttpBench(parts, () => folder.remove());
  }

  async tokenWith(scopes: readonly Scope[], owner?: string): Promise<string> {
    const made = await this.tokens.create({ scopes, ...(owner !== undefined && { owner }) });
    return made.token;
  }

  /** Any request, with the bench's token unless the headers say otherwise. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${this.token}`);
    return fetch(this.server.url + path, { ...init, headers });
  }

  async send(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    const response = await this.fetch("/acp/v1/dispatch", {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as AcpResponse,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.queue.close();
    await this.store.close();
    await this.#remove();
  }
}
