import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Exchange } from "./exchange.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import type { ModelServerOptions } from "./model-server-options.ts";
import type { RecordedRequest } from "./recorded-request.ts";
import type { Wire, WireName } from "./wire.ts";

export interface ModelServer extends AsyncDisposable {
  readonly wire: WireName;
  /** What the provider package takes as `baseURL`. */
  readonly baseUrl: string;
  /** In order of arrival, refused ones too. */
  readonly requests: readonly RecordedRequest[];
  /** The accepted model calls alone, in order. */
  readonly calls: readonly NeutralRequest[];
  /** Requests whose client went away before the answer was complete. */
  readonly aborted: number;
  /** Resolves when `count` requests have been read; rejects after `timeoutMs` (default 45,000). */
  untilRequests(count: number, timeoutMs?: number): Promise<void>;
  /** Resolves when `count` clients have gone away; rejects after `timeoutMs` (default 45,000). */
  untilAborted(count: number, timeoutMs?: number): Promise<void>;
  /** Ends open answers too. */
  close(): Promise<void>;
}

/** Loaded when one is started: most tests that use this package need no wire, and one of them brings a schema compiler. */
const WIRES: Record<WireName, () => Promise<Wire>> = {
  "openai-responses": async () =>
    (await import("./openai-responses/responses-wire.ts")).createResponsesWire(),
  "openai-chat": async () => (await import("./openai-chat/chat-wire.ts")).createChatWire(),
  "openai-compatible": async () =>
    (await import("./openai-chat/compatible-wire.ts")).createCompatibleWire(),
  anthropic: async () => (await import("./anthropic/anthropic-wire.ts")).createAnthropicWire(),
  google: async () => (await import("./google/google-wire.ts")).createGoogleWire(),
};

const POLL_MS = 5;
const DEFAULT_WAIT_MS = 45_000;

/**
 * A model service on 127.0.0.1 with a port of its own: the provider's real wire and error bodies, requests checked as
 * the provider checks them, answers from a script. `await using server = await startModelServer(…)` ends it.
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const wire = await WIRES[options.wire]();
  const exchanges: Exchange[] = [];
  const state = { steps: 0 };
  const http = createServer((req: IncomingMessage, res: ServerResponse) => {
    const exchange = new Exchange(wire, options, () => state.steps++);
    exchanges.push(exchange);
    void exchange.run(req, res);
  });
  const port = await listen(http);
  const aborted = (): number => exchanges.filter((exchange) => exchange.aborted).length;
  const read = (): number => exchanges.filter((exchange) => exchange.read).length;
  const close = (): Promise<void> => closeServer(http);
  return {
    wire: options.wire,
    baseUrl: `http://127.0.0.1:${port}${wire.basePath}`,
    get requests() {
      return exchanges.filter((exchange) => exchange.read).map((exchange) => exchange.record());
    },
    get calls() {
      return exchanges.flatMap((exchange) => exchange.view ?? []);
    },
    get aborted() {
      return aborted();
    },
    untilRequests: (count, timeoutMs) => until(() => read() >= count, "requests", timeoutMs),
    untilAborted: (count, timeoutMs) => until(() => aborted() >= count, "aborts", timeoutMs),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listen(http: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(0, "127.0.0.1", () => resolve((http.address() as AddressInfo).port));
  });
}

function closeServer(http: Server): Promise<void> {
  return new Promise((resolve) => {
    // A server that is closed already reports an error, which is what a second close wants.
    http.close(() => resolve());
    http.closeAllConnections();
  });
}

async function until(
  done: () => boolean,
  what: string,
  timeoutMs = DEFAULT_WAIT_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!done()) {
    if (performance.now() > deadline) {
      throw new Error(`Not enough ${what} reached the model server within ${timeoutMs} ms.`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
