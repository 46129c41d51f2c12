import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { MisbehavingHttpMode, MisbehavingHttpOptions, SeenHttpRequest } from "./http-modes.ts";

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: { readonly text?: string };
    readonly _meta?: { readonly progressToken?: string | number };
  };
}

const MIB = 2 ** 20;
const JSON_TYPE = { "content-type": "application/json" };

/** What each request of a scripted server is answered with, by its mode. */
export class HttpPeer {
  mode: MisbehavingHttpMode;
  readonly #elsewhere: string;
  readonly #prefix: string;
  readonly #delayMs: number;
  /** Calls of each session. */
  readonly #sessions = new Map<string, number>();
  readonly #streams = new Map<string, ServerResponse>();
  #calls = 0;

  constructor(mode: MisbehavingHttpMode, elsewhere: string, options: MisbehavingHttpOptions) {
    this.mode = mode;
    this.#elsewhere = elsewhere;
    this.#prefix = options.prefix ?? "";
    this.#delayMs = options.delayMs ?? 1_500;
  }

  loseSessions(): void {
    this.#sessions.clear();
  }

  serve(request: SeenHttpRequest, response: ServerResponse): void {
    if (this.#refusedAtOnce(response)) return;
    if (this.mode === "sse-only") this.#serveEvents(request, response);
    else if (request.method === "DELETE") {
      this.#sessions.delete(sessionOf(request));
      response.writeHead(200).end();
    } else if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST, DELETE" }).end("Method Not Allowed");
    } else this.#post(request, response);
  }

  /** Modes that never come as far as a message. */
  #refusedAtOnce(response: ServerResponse): boolean {
    if (this.mode === "redirect-to-other-origin")
      response.writeHead(307, { location: this.#elsewhere }).end();
    else {
      const answer = AT_ONCE[this.mode];
      if (answer === undefined) return false;
      answer(response);
    }
    return true;
  }

  #post(request: SeenHttpRequest, response: ServerResponse): void {
    const message = request.body as Message;
    if (message.method === "initialize") {
      const session = randomUUID();
      this.#sessions.set(session, 0);
      if (this.mode !== "no-session-id") response.setHeader("mcp-session-id", session);
    } else if (this.mode !== "no-session-id") {
      const known = this.#sessions.get(sessionOf(request));
      if (known === undefined) {
        this.#unknownSession(request, message, response);
        return;
      }
    }
    if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
    else if (message.method === "tools/call") this.#call(request, message, response);
    else this.#answer(message, this.#result(message), response);
  }

  #unknownSession(request: SeenHttpRequest, message: Message, response: ServerResponse): void {
    const [status, text] =
      sessionOf(request) === ""
        ? [400, "Bad Request: Server not initialized"]
        : [404, "Session not found"];
    response.writeHead(status, JSON_TYPE).end(
      JSON.stringify({
        jsonrpc: "2.0",
        error: { code: -32000, message: text },
        id: message.id ?? null,
      }),
    );
  }

  #call(request: SeenHttpRequest, message: Message, response: ServerResponse): void {
    this.#calls += 1;
    const session = sessionOf(request);
    const ofSession = (this.#sessions.get(session) ?? 0) + 1;
    this.#sessions.set(session, ofSession);
    const lost =
      this.mode === "session-always-lost" || (this.mode === "session-lost" && ofSession > 1);
    if (lost) {
      this.#sessions.delete(session);
      this.#unknownSession(request, message, response);
    } else if (this.mode === "unauthorized-later" && this.#calls > 1) unauthorized(response);
    else if (!this.#spoiledCall(message, response))
      this.#answer(message, this.#callResult(request, message), response);
  }

  /** True: the mode has answered, or will not. */
  #spoiledCall(message: Message, response: ServerResponse): boolean {
    const answer = IN_CALL[this.mode];
    const mebibytes = FILLED[this.mode];
    if (answer !== undefined) answer(response);
    else if (mebibytes !== undefined) this.#filled(message, response, mebibytes);
    else if (this.mode === "slow-with-progress") this.#slow(message, response);
    else return false;
    return true;
  }

  #filled({ id }: Message, response: ServerResponse, mebibytes: number): void {
    response.writeHead(200, JSON_TYPE);
    response.write(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`,
    );
    const chunk = "x".repeat(MIB);
    let sent = 0;
    const more = (): void => {
      if (response.destroyed) return;
      if (sent === mebibytes) {
        response.end('"}]}}');
        return;
      }
      sent += 1;
      response.write(chunk, more);
    };
    more();
  }

  #slow(message: Message, response: ServerResponse): void {
    const progressToken = message.params?._meta?.progressToken;
    const begun = performance.now();
    let progress = 0;
    eventStream(response);
    const timer = setInterval(() => {
      progress += 1;
      if (performance.now() - begun >= this.#delayMs) {
        clearInterval(timer);
        event(response, {
          jsonrpc: "2.0",
          id: message.id,
          result: text(`done after ${progress} steps`),
        });
        response.end();
      } else if (progressToken !== undefined) {
        event(response, {
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken, progress },
        });
      }
    }, 100);
    response.on("close", () => clearInterval(timer));
  }

  #answer(message: Message, result: unknown, response: ServerResponse): void {
    const body =
      result === undefined
        ? { error: { code: -32601, message: `Method not found: ${message.method}` } }
        : { result };
    const whole = { jsonrpc: "2.0", id: message.id, ...body };
    if (this.mode === "well-streaming") {
      event(eventStream(response), whole);
      response.end();
    } else response.writeHead(200, JSON_TYPE).end(JSON.stringify(whole));
  }

  #result({ method, params }: Message): unknown {
    if (method === "initialize") {
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "scripted-http", version: "1.0.0" },
      };
    }
    if (method === "ping") return {};
    return method === "tools/list"
      ? { tools: [this.#tool("echo", { text: { type: "string" } }), this.#tool("headers", {})] }
      : undefined;
  }

  #tool(name: string, properties: object): object {
    return {
      name: `${this.#prefix}${name}`,
      description: `The tool ${name}`,
      inputSchema: { type: "object", properties },
    };
  }

  #callResult(request: SeenHttpRequest, { params }: Message): unknown {
    return params?.name === `${this.#prefix}headers`
      ? text(JSON.stringify(request.headers))
      : text(params?.arguments?.text ?? "");
  }

  #serveEvents(request: SeenHttpRequest, response: ServerResponse): void {
    const key = new URL(request.path, "http://127.0.0.1").searchParams.get("stream");
    const stream = this.#streams.get(key ?? "");
    if (request.method === "GET") {
      const name = randomUUID();
      this.#streams.set(name, response);
      eventStream(response).write(`event: endpoint\ndata: /messages?stream=${name}\n\n`);
      response.on("close", () => this.#streams.delete(name));
    } else if (stream === undefined) {
      response.writeHead(405, { allow: "GET" }).end("Method Not Allowed");
    } else {
      response.writeHead(202).end("Accepted");
      const message = request.body as Message;
      if (message.id === undefined || message.method === undefined) return;
      const result =
        message.method === "tools/call"
          ? this.#callResult(request, message)
          : this.#result(message);
      event(stream, {
        jsonrpc: "2.0",
        id: message.id,
        ...(result === undefined ? NOT_FOUND : { result }),
      });
    }
  }
}

type Answers = Readonly<Partial<Record<MisbehavingHttpMode, (response: ServerResponse) => void>>>;

const AT_ONCE: Answers = {
  unauthorized,
  forbidden: (response) => void response.writeHead(403).end("forbidden for this token"),
  "server-error": serverError,
  html,
  hang: () => undefined,
};

const IN_CALL: Answers = {
  "server-error-in-call": serverError,
  "html-in-call": html,
  "broken-json": (response) => void response.writeHead(200, JSON_TYPE).end('{"jsonrpc": "2.0", '),
  "empty-answer": (response) => void response.writeHead(200, JSON_TYPE).end(),
  "hang-in-call": () => undefined,
  "silent-stream-in-call": eventStream,
  "stream-cut": (response) => {
    eventStream(response).write(": about to answer\n\n");
    response.end();
  },
  "socket-cut": (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": "1000" });
    response.write('{"jsonrpc": ', () => response.destroy());
  },
};

/** How long the text of an answer is, MiB. */
const FILLED: Readonly<Partial<Record<MisbehavingHttpMode, number>>> = {
  "large-answer": 20,
  "huge-answer": 70,
  "endless-answer": Number.POSITIVE_INFINITY,
};

const NOT_FOUND = { error: { code: -32601, message: "Method not found" } };

function sessionOf({ headers }: SeenHttpRequest): string {
  return String(headers["mcp-session-id"] ?? "");
}

function text(value: string): object {
  return { content: [{ type: "text", text: value }] };
}

function unauthorized(response: ServerResponse): void {
  response
    .writeHead(401, { "www-authenticate": 'Bearer error="invalid_token"' })
    .end("token missing or expired");
}

function serverError(response: ServerResponse): void {
  response.writeHead(500).end("Internal Server Error: worker 3 died");
}

function html(response: ServerResponse): void {
  response
    .writeHead(200, { "content-type": "text/html" })
    .end("<!doctype html><title>Sign in</title><p>Please sign in to the proxy.</p>");
}

function eventStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  return response;
}

function event(response: ServerResponse, message: object): void {
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}
