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

test("the signal of a request aborts with its end", () => {
  const end = new AbortController();
  const early = new RequestContext(FACTS, end.signal);
  const { signal } = early;
  expect(signal.aborted).toBe(false);
  end.abort("enough");
  const late = new RequestContext(FACTS, end.signal);
  for (const each of [signal, late.signal]) expect(each.reason).toBe("enough");
});

test("the signal of a request that is given up is aborted, when it is read before and after", () => {
  const { signal: end } = new AbortController();
  for (const context of [new RequestContext(FACTS), new RequestContext(FACTS, end)]) {
    const { signal } = context;
    context.abort(new Error("closed"));
    expect(signal).toMatchObject({ aborted: true, reason: { message: "closed" } });
  }
  const unread = new RequestContext(FACTS);
  unread.abort(new Error("closed"));
  expect(unread.signal).toMatchObject({ aborted: true, reason: { message: "closed" } });
  expect(end.aborted).toBe(false);
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
