import { connect, type Socket } from "node:net";
import { type Logger, silentLogger, systemClock } from "@acumen/core";
import { FakeClock } from "@acumen/testkit";
import { expect, it, vi } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import { ACP_ERROR_CODES, type AcpErrorCode } from "../../src/envelope/acp-error-detail.ts";
import { acpResponseSchema } from "../../src/envelope/acp-response.ts";
import { AcpError } from "../../src/errors/acp-error.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { type FacadeServerOptions, startFacadeServer } from "../../src/http/facade-server.ts";
import { HTTP_STATUS } from "../../src/http/http-status.ts";
import type { SessionService } from "../../src/services/session-service.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { TokenRegistry } from "../../src/tokens/token-registry.ts";
import { HttpBench } from "../support/http-bench.ts";
import { startSseReader } from "../support/sse-reader.ts";

const CREATE = { operation: "session.create", params: {} };

/** A service of sessions that fails as the title says, or waits until it is told to go on. */
function failingSessions(): SessionService & { goOn(): void; readonly waiting: number } {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => void (release = resolve));
  let waiting = 0;
  return {
    create: async ({ title = "" }) => {
      if (title === "wait") {
        waiting += 1;
        await gate;
      }
      if (title === "INTERNAL_ERROR") throw new Error("select * from /home/you/secret");
      const details = title === "RATE_LIMITED" ? { retry_after_ms: 1_500 } : {};
      throw new AcpError(`FACADE_${title as AcpErrorCode}`, "As asked for.", { details });
    },
    delete: () => Promise.reject(new Error("unused")),
    goOn: () => release(),
    get waiting() {
      return waiting;
    },
  };
}

/** What a raw connection gets back until it is closed. */
async function exchange(port: number, ...texts: readonly string[]): Promise<string> {
  const socket: Socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk: Buffer) => void (received += chunk.toString()));
  socket.on("error", () => undefined);
  for (const text of texts) socket.write(text);
  await new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  return received;
}

/** Of answers with one chunk. */
function dechunked(received: string): string {
  return received.replace(/\r\n[0-9a-f]+\r\n(\{.*\})\r\n0\r\n\r\n$/s, "\r\n$1");
}

function bodyOf(received: string): unknown {
  return JSON.parse(received.slice(received.indexOf("\r\n\r\n") + 4));
}

async function optionsOf(more: Partial<FacadeServerOptions>): Promise<FacadeServerOptions> {
  const store = new MemoryFacadeStore();
  const queue = new AcpEventQueue({ store });
  return {
    facade: new AcpLocalFacade({ store }),
    queue,
    tokens: new TokenRegistry(store, systemClock),
    store,
    host: "127.0.0.1",
    port: 0,
    clock: systemClock,
    logger: silentLogger,
    ...more,
  };
}

it.each(ACP_ERROR_CODES)(
  "%s has its status, and an envelope with the request's id",
  async (code) => {
    await using bench = await HttpBench.start({ services: { session_service: failingSessions() } });
    const answer = await bench.send({ ...CREATE, request_id: "mine", params: { title: code } });
    expect(answer.status).toBe(HTTP_STATUS[code]);
    expect(acpResponseSchema.parse(answer.body)).toMatchObject({
      request_id: "mine",
      status: "error",
      data: {},
      error: { code },
      timing_ms: expect.any(Number),
    });
    expect(answer.headers.get("retry-after")).toBe(code === "RATE_LIMITED" ? "2" : null);
    expect(JSON.stringify(answer.body)).not.toContain("secret");
  },
);

it.each([
  ["GET /acp/v1/describe HTTP/1.1\r\nconnection: close\r\n\r\n", 400, "VALIDATION_ERROR"],
  ["GET /livez HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\n\r\n", 417, "VALIDATION_ERROR"],
  ["GARBAGE\r\n\r\n", 400, "VALIDATION_ERROR"],
])("%j is answered with %i and an envelope", async (text, status, code) => {
  await using bench = await HttpBench.start();
  const received = await exchange(bench.server.port, text);
  expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(acpResponseSchema.parse(bodyOf(dechunked(received))).error).toMatchObject({ code });
});

it("probes need no token; describe and the OpenAPI document do", async () => {
  await using bench = await HttpBench.start();
  const nobody = { headers: { authorization: "" } };
  for (const path of ["/livez", "/readyz"]) {
    const probed = await bench.fetch(path, nobody);
    expect(probed.status).toBe(200);
    expect(acpResponseSchema.parse(await probed.json()).status).toBe("ok");
  }
  for (const path of ["/acp/v1/describe", "/openapi.json", "/acp/v1/events"]) {
    expect((await bench.fetch(path, nobody)).status).toBe(401);
  }
  const described = await (await bench.fetch("/acp/v1/describe")).json();
  expect(acpResponseSchema.parse(described).data).toMatchObject({ supported_versions: ["1.0"] });
  expect(await (await bench.fetch("/openapi.json")).json()).toMatchObject({ openapi: "3.1.0" });
  const newer = await bench.fetch("/acp/v1/describe", { headers: { "acp-version": "2.0" } });
  expect(newer.status).toBe(400);
  await bench.store.close();
  vi.spyOn(bench.store, "eventBounds").mockRejectedValue(new Error("closed"));
  const unready = await bench.fetch("/readyz", nobody);
  expect(unready.status).toBe(503);
  expect(acpResponseSchema.parse(await unready.json()).error?.code).toBe("NOT_AVAILABLE");
  expect((await bench.fetch("/livez", nobody)).status).toBe(200);
});

it("what is unknown here is an envelope too", async () => {
  await using bench = await HttpBench.start();
  for (const [path, method] of [
    ["/", "GET"],
    ["/acp/v1/dispatch", "GET"],
    ["/x", "DELETE"],
  ] as const) {
    const response = await bench.fetch(path, { method });
    expect(response.status).toBe(404);
    expect(acpResponseSchema.parse(await response.json()).error?.code).toBe("NOT_FOUND");
  }
});

it("pages of allowed origins may ask and read, others may not", async () => {
  await using bench = await HttpBench.start({ origins: ["https://ui.example"] });
  const ask = (origin: string) =>
    bench.fetch("/acp/v1/dispatch", {
      method: "OPTIONS",
      headers: { origin, authorization: "", "access-control-request-method": "POST" },
    });
  const allowed = await ask("https://ui.example");
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://ui.example");
  expect(allowed.headers.get("access-control-allow-headers")).toContain("idempotency-key");
  const refused = await ask("https://evil.example");
  expect(refused.status).toBe(403);
  expect(refused.headers.get("access-control-allow-origin")).toBeNull();
  const sent = await bench.send({ operation: "session.list" }, { origin: "https://ui.example" });
  expect(sent.headers.get("access-control-allow-origin")).toBe("https://ui.example");
});

it("a name that was made to point here is refused, whatever the token", async () => {
  await using bench = await HttpBench.start();
  const { port } = bench.server;
  for (const host of [
    "evil.example",
    `evil.example:${port}`,
    "127.0.0.1.evil.example",
    "10.0.0.1",
  ]) {
    const head = `GET /acp/v1/describe HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${bench.token}\r\nconnection: close\r\n\r\n`;
    const received = await exchange(port, head);
    expect(received).toMatch(/^HTTP\/1.1 403 /);
    expect(received).toContain("FORBIDDEN");
  }
});

it("what is no HTTP, too long or never finished is answered with an envelope and ended", async () => {
  await using bench = await HttpBench.start({ limits: { headMs: 150, requestMs: 300 } });
  const { port } = bench.server;
  const host = "host: 127.0.0.1\r\n";
  const broken = await exchange(port, "HELLO\r\n\r\n");
  expect(broken).toMatch(/^HTTP\/1.1 400 /);
  const twoLines = `GET /livez HTTP/1.1\r\n${host}authorization: Bearer acm_x\nToken of local.\r\n\r\n`;
  expect(await exchange(port, twoLines)).toMatch(/a header is broken: .*bearer token/);
  const large = await exchange(port, `GET / HTTP/1.1\r\n${host}x: ${"y".repeat(70_000)}\r\n\r\n`);
  expect(large).toMatch(/^HTTP\/1.1 431 /);
  const slowHead = await exchange(port, `GET / HTTP/1.1\r\n${host}`);
  expect(slowHead).toMatch(/^HTTP\/1.1 408 /);
  const authorization = `authorization: Bearer ${bench.token}\r\n`;
  const slowBody = await exchange(
    port,
    `POST /acp/v1/dispatch HTTP/1.1\r\n${host}${authorization}content-length: 100\r\n\r\n{`,
  );
  expect(slowBody).toMatch(/^HTTP\/1.1 408 /);
  const codes = [broken, large, slowHead, slowBody].map(
    (received) => acpResponseSchema.parse(bodyOf(received)).error?.code,
  );
  expect(codes).toEqual(["VALIDATION_ERROR", "PAYLOAD_TOO_LARGE", "TIMEOUT", "TIMEOUT"]);
});

it("changes of one token are limited, its reads and other tokens are not", async () => {
  const clock = new FakeClock();
  await using bench = await HttpBench.start({
    clock,
    limits: { mutationsPerSecond: 10, mutationBurst: 20 },
  });
  const many = (count: number) =>
    Promise.all(Array.from({ length: count }, () => bench.send(CREATE)));
  const statuses = (await many(25)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  const refused = await bench.send({ ...CREATE, request_id: "late" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(refused.body).toMatchObject({
    request_id: "late",
    error: { code: "RATE_LIMITED", retryable: true, retry_after_ms: 100 },
  });
  const other = await bench.tokenWith(["session:*"]);
  expect((await bench.send(CREATE, { authorization: `Bearer ${other}` })).status).toBe(200);
  expect((await bench.send({ operation: "session.list" })).status).toBe(200);
  clock.advance(500);
  expect((await many(8)).filter(({ status }) => status === 200)).toHaveLength(5);
});

it("so many requests of one token are answered at once", async () => {
  const sessions = failingSessions();
  await using bench = await HttpBench.start({
    services: { session_service: sessions },
    limits: { inFlight: 3 },
  });
  const wait = { operation: "session.create", params: { title: "wait" } };
  const waiting = [1, 2, 3].map(() => bench.send(wait));
  await vi.waitFor(() => expect(sessions.waiting).toBe(3));
  const refused = await bench.send({ operation: "system.describe" });
  expect([refused.status, refused.body.error?.code]).toEqual([429, "RATE_LIMITED"]);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await bench.fetch("/acp/v1/describe")).status).toBe(429);
  const other = await bench.tokenWith(["session:*"]);
  const asOther = await bench.send(
    { operation: "system.describe" },
    { authorization: `Bearer ${other}` },
  );
  expect(asOther.status).toBe(200);
  sessions.goOn();
  await Promise.all(waiting);
  expect((await bench.send({ operation: "system.describe" })).status).toBe(200);
});

it("a client that goes away in the middle of its body holds no place", async () => {
  await using bench = await HttpBench.start({ limits: { inFlight: 1 } });
  const socket = connect(bench.server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `POST /acp/v1/dispatch HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${bench.token}\r\ncontent-length: 100\r\n\r\n{`,
  );
  const status = async () => (await bench.send({ operation: "system.describe" })).status;
  await vi.waitFor(async () => expect(await status()).toBe(429));
  socket.destroy();
  await vi.waitFor(async () => expect(await status()).toBe(200));
});

it("what a client began is carried out when the client goes away", async () => {
  const sessions = failingSessions();
  const create = vi.spyOn(sessions, "create");
  await using bench = await HttpBench.start({ services: { session_service: sessions } });
  const leave = new AbortController();
  const sent = bench.fetch("/acp/v1/dispatch", {
    method: "POST",
    signal: leave.signal,
    body: JSON.stringify({ operation: "session.create", params: { title: "wait" } }),
  });
  await vi.waitFor(() => expect(sessions.waiting).toBe(1));
  leave.abort();
  await expect(sent).rejects.toThrow();
  // The server has seen it when it answers on a new connection.
  await bench.send({ operation: "system.describe" });
  expect(create.mock.calls[0]?.[1].signal.aborted).toBe(false);
  sessions.goOn();
  await expect(create.mock.results[0]?.value).rejects.toThrow();
  expect(create).toHaveBeenCalledOnce();
});

it("closing lets requests finish, ends streams to be resumed, and takes nothing new", async () => {
  const sessions = failingSessions();
  const bench = await HttpBench.start({ services: { session_service: sessions } });
  const waiting = bench.send({ operation: "session.create", params: { title: "wait" } });
  const reader = startSseReader(await bench.fetch("/acp/v1/events"));
  await vi.waitFor(() => expect([reader.seen.length, sessions.waiting]).toEqual([1, 1]));
  const closed = bench.server.close();
  await reader.ended;
  expect(reader.seen.at(-1)).toMatchObject({ event_type: "end", data: { reason: "shutdown" } });
  await expect(bench.send({ operation: "system.describe" })).rejects.toThrow();
  sessions.goOn();
  expect((await waiting).body.status).toBe("error");
  await closed;
  await bench[Symbol.asyncDispose]();
});

it("closing does not wait longer than its time", async () => {
  const sessions = failingSessions();
  const bench = await HttpBench.start({
    services: { session_service: sessions },
    limits: { drainMs: 100 },
  });
  const cut = bench.send({ operation: "session.create", params: { title: "wait" } });
  await vi.waitFor(() => expect(sessions.waiting).toBe(1));
  await Promise.all([bench.server.close(), expect(cut).rejects.toThrow()]);
  sessions.goOn();
  await bench[Symbol.asyncDispose]();
});

it("an address beyond this machine needs TLS or an explicit word", async () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.1", "example.org"]) {
    const starting = startFacadeServer(await optionsOf({ host }));
    await expect(starting).rejects.toMatchObject({ code: "FACADE_CONFIGURATION_ERROR" });
    await expect(starting).rejects.toThrow(/--tls-cert.*--insecure-bind/);
  }
});

it("an address that is taken is a coded error", async () => {
  const first = await startFacadeServer(await optionsOf({}));
  const second = startFacadeServer(await optionsOf({ port: first.port }));
  await expect(second).rejects.toMatchObject({
    code: "FACADE_CONFIGURATION_ERROR",
    details: { port: first.port, errno: "EADDRINUSE" },
  });
  await first.close();
});

it("no line of the log and no answer holds a token", async () => {
  const lines: string[] = [];
  const log = (message: string, fields?: object): void =>
    void lines.push(message + JSON.stringify(fields));
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  await using bench = await HttpBench.start({
    logger,
    services: { session_service: failingSessions() },
  });
  const auth = { token: bench.token };
  const bodies = [
    await bench.send({ ...CREATE, params: { title: "INTERNAL_ERROR" }, auth }),
    await bench.send({ ...CREATE, params: { title: "NOT_FOUND" }, auth }),
    await bench.send({ operation: "no.such", auth }),
    await bench.send({ operation: "session.list", auth: "text" }),
    await bench.send({ operation: "system.describe" }, { authorization: `Bearer ${bench.token}x` }),
    await bench.send({ operation: "system.describe" }, { host: bench.token, origin: "x" }),
  ].map(({ body }) => JSON.stringify(body));
  expect(lines).toHaveLength(1);
  for (const text of [...lines, ...bodies.slice(0, 5)]) {
    expect(text).not.toContain(bench.token.slice(4));
  }
});

it.each([
  ["OPTIONS * HTTP/1.1", "127.0.0.1"],
  ["GET /livez HTTP/1.1", "localhost:99999999"],
  ["GET /livez HTTP/1.1", "localhost@evil"],
  ["GET /livez HTTP/1.1", ""],
])("%s at the host %j is refused, and is no fault of the server", async (line, host) => {
  await using bench = await HttpBench.start();
  const text = `${line}\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
  const received = await exchange(bench.server.port, text);
  expect(received).toMatch(/^HTTP\/1.1 40[03] /);
  expect(bodyOf(received)).toMatchObject({ status: "error" });
});
