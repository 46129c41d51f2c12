import { AcumenError } from "@acumen/core";
import { FakeClock } from "@acumen/testkit";
import { describe, expect, test, vi } from "vitest";
import { LOCAL_PRINCIPAL } from "../../src/access/principal.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import { AcpOperationNotFoundError, AcpVersionMismatchError } from "../../src/errors/acp-error.ts";
import type { SessionService } from "../../src/services/session-service.ts";
import { SessionRegistry } from "../../src/sessions/session-registry.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";

const unused = (): Promise<never> => Promise.reject(new Error("unused"));

const failing = (): never => {
  throw new Error("The disk is full.");
};

function bench(service?: Partial<SessionService>) {
  const clock = new FakeClock();
  const store = new MemoryFacadeStore({ clock });
  const logged: unknown[] = [];
  const log = (message: string, fields?: object): number => logged.push({ message, ...fields });
  const sessions = new SessionRegistry({
    store,
    commit: (change) => store.commit(change),
    activePlans: async () => [],
    cancelPlan: async () => undefined,
    checkActor: () => undefined,
    clock,
  });
  const facade = new AcpLocalFacade({
    store,
    clock,
    logger: { debug: log, info: log, warn: log, error: log },
    services: {
      session_service: Object.assign(sessions, service),
      plan_lifecycle_service: {
        useAction: unused,
        executePlan: unused,
        getPlan: unused,
        applyPlan: unused,
      },
    },
  });
  return { facade, store, clock, logged };
}

describe("dispatch", () => {
  test("answers with the version, the id of the request and the time it took", async () => {
    const { facade } = bench();
    const response = await facade.dispatch({ operation: "session.create", request_id: "mine-1" });
    expect(response).toMatchObject({
      acp_version: "1.0",
      request_id: "mine-1",
      status: "ok",
      error: null,
      timing_ms: expect.any(Number),
      data: { session_id: expect.stringMatching(/^[0-9A-Z]{26}$/), status: "open" },
    });
    expect(response.data).not.toHaveProperty("owner");
  });

  test("raises for an unknown operation and an unsupported version, as the protocol says", async () => {
    const { facade } = bench();
    const unknown = facade.dispatch({ operation: "session.creat" });
    await expect(unknown).rejects.toBeInstanceOf(AcpOperationNotFoundError);
    await expect(unknown).rejects.toThrow(/did you mean session\.create\?/);
    const old = facade.dispatch({ operation: "session.create", acp_version: "2.0" });
    await expect(old).rejects.toBeInstanceOf(AcpVersionMismatchError);
    await expect(old).rejects.toMatchObject({ details: { supported: ["1.0"] } });
    const patched = await facade.dispatch({ operation: "session.create", acp_version: "1.0.7" });
    expect(patched).toMatchObject({ status: "ok", acp_version: "1.0" });
  });

  test.each([
    ["an unknown parameter", { operation: "session.create", params: { titel: "x" } }, ["titel"]],
    ["one of the wrong kind", { operation: "session.create", params: { title: 7 } }, ["title"]],
    ["one that is missing", { operation: "session.close", params: {} }, ["session_id"]],
    ["an unknown field of the envelope", { operation: "session.create", foo: 1 }, ["foo"]],
    ["no operation", {}, ["operation"]],
    ["params that are a list", { operation: "session.create", params: [] }, ["params"]],
  ])("%s is VALIDATION_ERROR with its path", async (_case, request, path) => {
    const { facade } = bench();
    const response = await facade.dispatch(request as never);
    expect(response).toMatchObject({ status: "error", data: {}, timing_ms: expect.any(Number) });
    expect(response.error).toMatchObject({
      code: "VALIDATION_ERROR",
      details: { issues: [{ path }] },
    });
  });

  test("a request that is no object is answered too", async () => {
    const { facade } = bench();
    for (const request of [null, 7, "x", [], undefined]) {
      const response = await facade.dispatch(request as never);
      expect(response.error?.code).toBe("VALIDATION_ERROR");
    }
  });

  test("a scope that is missing is FORBIDDEN, before parameters are looked at", async () => {
    const { facade } = bench();
    const principal = { ...LOCAL_PRINCIPAL, scopes: ["plan:read" as const] };
    const request = { operation: "session.create", params: { titel: 1 } };
    const { error } = await facade.dispatch(request, { principal });
    expect(error).toMatchObject({ code: "FORBIDDEN", details: { scope: "session:*" } });
  });

  test("a service without what an operation needs is NOT_AVAILABLE with its key, and nothing says ok", async () => {
    const { facade } = bench();
    const response = await facade.dispatch({
      operation: "plan.retry",
      params: { plan_id: "x" },
    });
    expect(response).toMatchObject({
      status: "error",
      error: {
        code: "NOT_AVAILABLE",
        details: { service: "plan_lifecycle_service", method: "retryPlan" },
      },
    });
  });

  test("a method that a user's service lacks is NOT_AVAILABLE with its name", async () => {
    const { facade } = bench();
    facade.registerService("session_service", {
      create: () => Promise.reject(new Error("unused")),
      delete: () => Promise.reject(new Error("unused")),
    });
    const { error } = await facade.dispatch({ operation: "session.list" });
    expect(error).toMatchObject({ code: "NOT_AVAILABLE", details: { method: "list" } });
  });

  test("an unexpected failure shows a correlation id, and its text goes to the log alone", async () => {
    const cause = new Error("SELECT secret FROM /home/you/x");
    const { facade, logged } = bench({ create: () => Promise.reject(cause) });
    const { error } = await facade.dispatch({ operation: "session.create" });
    expect(error?.code).toBe("INTERNAL_ERROR");
    expect(JSON.stringify(error)).not.toContain("secret");
    const { correlation_id: correlationId } = (error?.details ?? {}) as Record<string, string>;
    expect(logged).toContainEqual(expect.objectContaining({ correlationId, cause }));
  });

  test("the log names a failed request and the trace that it belongs to", async () => {
    const { facade, logged } = bench({ create: () => Promise.reject(new Error("x")) });
    const trace = {
      traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      tracestate: "vendor=a:b, other=1",
    };
    const request = { operation: "session.create", request_id: "r7", trace };
    expect((await facade.dispatch(request)).error?.code).toBe("INTERNAL_ERROR");
    expect(logged).toContainEqual(
      expect.objectContaining({ requestId: "r7", operation: "session.create", ...trace }),
    );
  });

  test.each([
    [{ traceparent: "00-00000000000000000000000000000000-00f067aa0ba902b7-01" }, ["traceparent"]],
    [{ traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01" }, ["traceparent"]],
    [{ traceparent: "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" }, ["traceparent"]],
    [{ traceparent: "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01" }, ["traceparent"]],
    [{ tracestate: "a=b" }, ["traceparent"]],
    [
      {
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        tracestate: "a=b\nforged line",
      },
      ["tracestate"],
    ],
  ])("a trace that is none is VALIDATION_ERROR: %j", async (trace, path) => {
    const { facade } = bench();
    const { error } = await facade.dispatch({ operation: "session.create", trace } as never);
    expect(error).toMatchObject({
      code: "VALIDATION_ERROR",
      details: { issues: [{ path: ["trace", ...path] }] },
    });
  });

  test("whatever a service throws, and whatever the logger does, there is an answer", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const unreadable = Object.defineProperty(new AcumenError({ code: "X", message: "" }), "code", {
      get: () => {
        throw new Error("no code");
      },
    });
    for (const thrown of [proxy, unreadable, undefined, null, 7, Symbol("s")]) {
      const facade = new AcpLocalFacade({
        logger: {
          debug: failing,
          info: failing,
          warn: failing,
          error: failing,
        },
        services: {
          session_service: {
            create: () => Promise.reject(thrown as Error),
            delete: unused,
          },
        },
      });
      for (const key of [{}, { idempotency_key: "k" }]) {
        const { error } = await facade.dispatch({ operation: "session.create", ...key });
        expect(error?.code).toBe("INTERNAL_ERROR");
      }
    }
  });

  test("a deadline is answered with TIMEOUT", async () => {
    const { facade } = bench({ create: () => new Promise(() => undefined) });
    const { error } = await facade.dispatch({ operation: "session.create", deadline_ms: 5 });
    expect(error).toMatchObject({ code: "TIMEOUT", retryable: true });
  });

  test("operations are listed sorted", () => {
    const names = bench().facade.listOperations();
    expect(names).toEqual(names.toSorted());
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("an idempotency key", () => {
  const request = { operation: "session.create", idempotency_key: "k1", params: { title: "a" } };

  test("gives the first answer again, under the id of the new request", async () => {
    const { facade, store } = bench();
    const onReplayed = vi.fn();
    const first = await facade.dispatch({ ...request, request_id: "r1" }, { onReplayed });
    expect(onReplayed).not.toHaveBeenCalled();
    const second = await facade.dispatch({ ...request, request_id: "r2" }, { onReplayed });
    expect(onReplayed).toHaveBeenCalledOnce();
    expect(second).toEqual({ ...first, request_id: "r2" });
    expect((await store.sessions({ owner: "local", limit: 10 })).items).toHaveLength(1);
  });

  test("with other parameters is IDEMPOTENCY_MISMATCH; their order does not matter", async () => {
    const { facade } = bench();
    await facade.dispatch({ ...request, params: { title: "a", actor_name: "b/c" } });
    const { error } = await facade.dispatch(request);
    expect(error?.code).toBe("IDEMPOTENCY_MISMATCH");
    const same = await facade.dispatch({ ...request, params: { actor_name: "b/c", title: "a" } });
    expect(same.status).toBe("ok");
  });

  test("is another one for another token", async () => {
    const { facade, store } = bench();
    await facade.dispatch(request);
    await facade.dispatch(request, { principal: { ...LOCAL_PRINCIPAL, tokenId: "t2" } });
    expect((await store.sessions({ owner: "local", limit: 10 })).items).toHaveLength(2);
  });

  test("whose first request still runs is CONFLICT with a time to wait", async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const { facade } = bench();
    const inner = bench();
    facade.registerService("session_service", {
      create: async (input, caller) => {
        await gate;
        return new SessionRegistry({
          store: inner.store,
          commit: (change) => inner.store.commit(change),
          activePlans: async () => [],
          cancelPlan: async () => undefined,
          checkActor: () => undefined,
          clock: inner.clock,
        }).create(input, caller);
      },
      delete: () => Promise.reject(new Error("unused")),
    });
    const first = facade.dispatch(request);
    const { error } = await facade.dispatch(request);
    expect(error).toMatchObject({ code: "CONFLICT", retryable: true, retry_after_ms: 1_000 });
    go();
    expect((await first).status).toBe("ok");
  });

  test("of a request that failed may be used again", async () => {
    let tries = 0;
    const { facade } = bench();
    const { facade: good } = bench();
    facade.registerService("session_service", {
      create: async (_input, { principal }) => {
        tries += 1;
        if (tries === 1) throw new AcumenError({ code: "FACADE_PLAN_ERROR", message: "No." });
        const made = await good.dispatch({ operation: "session.create" });
        return {
          ...(made.data as never as Awaited<ReturnType<SessionService["create"]>>),
          owner: principal.owner,
        };
      },
      delete: () => Promise.reject(new Error("unused")),
    });
    expect((await facade.dispatch(request)).error?.code).toBe("PLAN_ERROR");
    expect((await facade.dispatch(request)).status).toBe("ok");
  });

  test("left by a process that died is taken over, and makes nothing twice", async () => {
    const { facade, store } = bench();
    const first = await facade.dispatch(request);
    const scope = JSON.stringify(["local", null, "session.create"]);
    await store.dropKeyed(scope, "k1");
    const { createHash } = await import("node:crypto");
    await store.beginKeyed({
      scope,
      key: "k1",
      fingerprint: createHash("sha256").update('{"title":"a"}').digest("hex"),
      reserved_id: (first.data as Record<string, string>)["session_id"] ?? "",
      response: null,
      created_at: new Date(0).toISOString(),
    });
    const again = await facade.dispatch(request);
    expect(again.data).toEqual(first.data);
    expect((await store.sessions({ owner: "local", limit: 10 })).items).toHaveLength(1);
  });
});
