import { silentLogger, systemClock } from "@acumen/core";
import { FakeClock } from "@acumen/testkit";
import { expect, test } from "vitest";
import { SCOPES } from "../../src/access/scope.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { AcpResponse } from "../../src/envelope/acp-response.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { createFacadeApp } from "../../src/http/facade-app.ts";
import { SERVER_LIMITS } from "../../src/http/server-limits.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { TokenRegistry } from "../../src/tokens/token-registry.ts";

async function draining(path: string, token: string) {
  const store = new MemoryFacadeStore();
  const app = createFacadeApp({
    facade: new AcpLocalFacade({ store }),
    tokens: new TokenRegistry(store, systemClock),
    queue: new AcpEventQueue({ store }),
    store,
    limits: SERVER_LIMITS,
    hosts: [],
    origins: [],
    clock: systemClock,
    logger: silentLogger,
    isDraining: () => true,
  });
  const headers = { host: "127.0.0.1", authorization: `Bearer ${token}` };
  return app.fetch(new Request(`http://127.0.0.1${path}`, { headers }));
}

test("while it closes it takes nothing new and says when to come back, the probe too", async () => {
  for (const path of ["/acp/v1/describe", "/acp/v1/events", "/readyz"]) {
    const response = await draining(path, "acm_x");
    expect([path, response.status, response.headers.get("retry-after")]).toEqual([path, 503, "1"]);
    const { error } = (await response.json()) as AcpResponse;
    expect(error).toMatchObject({ code: "NOT_AVAILABLE", retryable: true });
  }
  expect((await draining("/livez", "")).status).toBe(200);
});

async function bench() {
  const clock = new FakeClock();
  const store = new MemoryFacadeStore({ clock });
  const tokens = new TokenRegistry(store, clock);
  const { token } = await tokens.create({ scopes: SCOPES });
  const app = createFacadeApp({
    facade: new AcpLocalFacade({ store, clock }),
    tokens,
    queue: new AcpEventQueue({ store, clock }),
    store,
    limits: SERVER_LIMITS,
    hosts: [],
    origins: ["https://ui.example"],
    clock,
    logger: silentLogger,
  });
  return async (body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const response = await app.fetch(
      new Request("http://127.0.0.1:4747/acp/v1/dispatch", {
        method: "POST",
        headers: { host: "127.0.0.1:4747", authorization: `Bearer ${token}`, ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as AcpResponse,
    };
  };
}

test("a request is answered with an envelope", async () => {
  const send = await bench();
  const { status, body } = await send({ operation: "system.describe", request_id: "r1" });
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: "ok", request_id: "r1", data: { acp_version: "1.0" } });
});

test.each([
  ["no token", { operation: "system.describe" }, { authorization: "" }, 401, "AUTH_ERROR"],
  [
    "another token",
    { operation: "system.describe" },
    { authorization: "Bearer x" },
    401,
    "AUTH_ERROR",
  ],
  ["a strange host", { operation: "system.describe" }, { host: "evil.example" }, 403, "FORBIDDEN"],
  [
    "a strange origin",
    { operation: "system.describe" },
    { origin: "https://evil.example" },
    403,
    "FORBIDDEN",
  ],
  ["no JSON", "{", {}, 400, "VALIDATION_ERROR"],
  ["a list", "[]", {}, 400, "VALIDATION_ERROR"],
  ["deep nesting", "[".repeat(50_000), {}, 400, "VALIDATION_ERROR"],
  ["too much", "x".repeat(1024 * 1024 + 1), {}, 413, "PAYLOAD_TOO_LARGE"],
  ["an unknown operation", { operation: "no.such" }, {}, 404, "OPERATION_NOT_FOUND"],
  [
    "another version",
    { operation: "system.describe", acp_version: "2.0" },
    {},
    400,
    "VERSION_MISMATCH",
  ],
  [
    "two versions",
    { operation: "system.describe", acp_version: "1.0" },
    { "acp-version": "1.1" },
    400,
    "VALIDATION_ERROR",
  ],
])("%s is refused within an envelope", async (_case, body, headers, status, code) => {
  const send = await bench();
  const answer = await send(body, headers);
  expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  expect(answer.body).toMatchObject({ status: "error", data: {}, timing_ms: expect.any(Number) });
  expect(answer.headers.get("www-authenticate") !== null).toBe(status === 401);
});
