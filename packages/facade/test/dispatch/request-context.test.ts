import { expect, test } from "vitest";
import type { Caller } from "../../src/access/caller.ts";
import { LOCAL_PRINCIPAL } from "../../src/access/principal.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import { RequestContext } from "../../src/dispatch/request-context.ts";
import { ServiceLocator } from "../../src/dispatch/service-locator.ts";

const FACTS = {
  principal: LOCAL_PRINCIPAL,
  requestId: "r",
  services: new ServiceLocator({}),
  operations: [],
};

test("the signal of a request is that of its end", () => {
  const { signal } = new AbortController();
  expect(new RequestContext(FACTS, signal).signal).toBe(signal);
});

test("a request without an end has one signal of its own, however often it is read", () => {
  const context = new RequestContext(FACTS);
  const { signal } = context;
  expect(signal.aborted).toBe(false);
  expect(context.signal).toBe(signal);
  expect(new RequestContext(FACTS).signal).not.toBe(signal);
});

test("only a keyed request has a reserved id", () => {
  expect(new RequestContext(FACTS)).not.toHaveProperty("reservedId");
  expect(new RequestContext({ ...FACTS, reservedId: "i" }).reservedId).toBe("i");
});

test("services get one signal for each request, which its caller's or its deadline aborts", async () => {
  const callers: Caller[] = [];
  const facade = new AcpLocalFacade({
    services: {
      session_service: {
        create: async (_input: unknown, caller: Caller) => {
          callers.push(caller);
          return { session_id: "s" };
        },
        delete: () => Promise.reject(new Error("unused")),
      } as never,
    },
  });
  const stop = new AbortController();
  await facade.dispatch({ operation: "session.create" });
  await facade.dispatch({ operation: "session.create" });
  await facade.dispatch({ operation: "session.create" }, { signal: stop.signal });
  await facade.dispatch({ operation: "session.create", idempotency_key: "k" });
  expect(new Set(callers.map(({ signal }) => signal)).size).toBe(4);
  stop.abort();
  expect(callers.map(({ signal }) => signal.aborted)).toEqual([false, false, true, false]);
});
