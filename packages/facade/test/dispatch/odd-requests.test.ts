import { createContext, runInContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { AcpRequest } from "../../src/envelope/acp-request.ts";
import type { AcpResponse } from "../../src/envelope/acp-response.ts";
import { HttpBench } from "../support/http-bench.ts";

let bench: HttpBench;
let facade: AcpLocalFacade;
let transport: AcpHttpTransport;
beforeAll(async () => {
  bench = await HttpBench.start();
  facade = new AcpLocalFacade();
  transport = new AcpHttpTransport({ token: bench.token });
  await transport.connect(bench.server.url);
});
afterAll(async () => {
  await transport.disconnect();
  await facade.close();
  await bench[Symbol.asyncDispose]();
});

const CREATE = { operation: "session.create" };
const KEYED = { ...CREATE, idempotency_key: "k" };

/** So many lists in each other. */
function nested(levels: number): unknown[] {
  let value: unknown[] = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

function cyclic(): object {
  const params: Record<string, unknown> = { title: "x" };
  params["self"] = { params };
  return params;
}

function doubling(): object {
  let value: object = {};
  for (let level = 0; level < 28; level += 1) value = { a: value, b: value };
  return value;
}

function throwing(field: string, rest: object): object {
  return Object.defineProperty({ ...rest }, field, {
    enumerable: true,
    get: () => {
      throw new Error("/home/you/secret");
    },
  });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function trapped(): object {
  return new Proxy(
    {},
    {
      ownKeys: () => {
        throw new RangeError("/home/you/secret");
      },
    },
  );
}

/** What is refused, and where, in process and by the client alike. */
const REFUSED: readonly (readonly [string, unknown, readonly (string | number)[]])[] = [
  ["a bigint", { ...CREATE, params: { title: 1n } }, ["params", "title"]],
  ["a function", { ...CREATE, params: { title: () => "x" } }, ["params", "title"]],
  ["a symbol", { ...CREATE, params: { title: Symbol("x") } }, ["params", "title"]],
  ["a date", { ...CREATE, params: { title: new Date(0) } }, ["params", "title"]],
  ["a map", { ...CREATE, params: new Map([["title", "x"]]) }, ["params"]],
  ["a set deep within", { ...CREATE, params: { title: [{ a: new Set() }] } }, ["params", "title"]],
  ["a number that is none", { operation: "session.list", params: { limit: NaN } }, ["params"]],
  ["one without an end", { operation: "session.list", params: { limit: Infinity } }, ["params"]],
  ["nothing in a list", { ...CREATE, params: { title: [undefined] } }, ["params", "title", 0]],
  ["a list with holes", { ...CREATE, params: { title: Array(1e9) } }, ["params", "title"]],
  ["a key of prototypes", { ...CREATE, params: JSON.parse('{"__proto__":{}}') }, ["params"]],
  ["params within themselves", { ...CREATE, params: cyclic() }, ["params", "self"]],
  ["the same with a key", { ...KEYED, params: cyclic() }, ["params", "self"]],
  ["few objects that are many", { ...CREATE, params: doubling() }, ["params"]],
  ["a getter of the envelope that throws", throwing("params", CREATE), ["params"]],
  ["a getter of the operation that throws", throwing("operation", {}), ["operation"]],
  ["a getter of the id that throws", throwing("request_id", CREATE), ["request_id"]],
  ["a getter in params that throws", { ...CREATE, params: throwing("title", {}) }, ["params"]],
  ["a revoked proxy", { ...CREATE, params: revoked() }, ["params"]],
  ["a request that is one", revoked(), []],
  ["a trap that throws", { ...CREATE, params: trapped() }, ["params"]],
  ["40,000 levels of params with a key", { ...KEYED, params: { title: nested(40_000) } }, []],
  ["40,000 levels of params", { ...CREATE, params: { title: nested(40_000) } }, ["params"]],
  ["33 levels", { ...CREATE, params: { title: nested(31) } }, ["params", "title", 0]],
  ["no object", null, []],
];

function issuesOf({ error }: AcpResponse) {
  return (error?.details["issues"] ?? []) as { path: (string | number)[]; message: string }[];
}

describe("what is no JSON is VALIDATION_ERROR with its place", () => {
  test.each(REFUSED)("%s", async (_what, request, place) => {
    for (const way of [facade.dispatch.bind(facade), transport.send.bind(transport)]) {
      const response = await way(request as AcpRequest);
      expect(response).toMatchObject({ status: "error", error: { code: "VALIDATION_ERROR" } });
      expect(response.request_id).toMatch(/^\S+$/);
      const [issue] = issuesOf(response);
      expect(issue?.path.slice(0, place.length)).toEqual(place);
      expect(JSON.stringify(response)).not.toContain("secret");
      expect(JSON.stringify(response).length).toBeLessThan(10_000);
    }
  });

  test("also in auth, which is not looked at for anything else", async () => {
    const auth = { token: nested(40_000) } as never;
    const response = await facade.dispatch({ ...CREATE, request_id: "r", auth });
    expect(response).toMatchObject({ request_id: "r", error: { code: "VALIDATION_ERROR" } });
    expect(issuesOf(response)[0]?.message).toBe("nested deeper than 32 levels");
  });

  test("sent as text it is refused by the server, under the id of the request", async () => {
    for (const levels of [31, 40_000, 200_000]) {
      const lists = "[".repeat(levels) + "]".repeat(levels);
      for (const more of ["", `,"idempotency_key":"k${levels}"`]) {
        const { status, body } = await bench.send(
          `{"operation":"session.create","request_id":"deep","params":{"title":${lists}}${more}}`,
        );
        expect([status, body.request_id, body.error?.code]).toEqual([
          400,
          "deep",
          "VALIDATION_ERROR",
        ]);
        expect(issuesOf(body)[0]?.message).toBe("nested deeper than 32 levels");
      }
    }
  });

  test("a thousand unknown keys are told in a bounded answer", async () => {
    const names = Array.from({ length: 1_000 }, (_none, index) => `${index}`.repeat(1_000));
    const params = Object.fromEntries(names.map((name) => [name, 1]));
    const response = await facade.dispatch({ ...CREATE, params });
    expect(response.error?.message).toContain("(and 999 more)");
    expect(JSON.stringify(response).length).toBeLessThan(64 * 1024);
  });
});

describe("what JSON would make of it is what counts", () => {
  const TAKEN: readonly (readonly [string, unknown, unknown])[] = [
    ["a member without a value is left out", { title: undefined }, ""],
    ["lone surrogates are kept", { title: "\ud800x\udc00" }, "\ud800x\udc00"],
    ["an object without a prototype", Object.assign(Object.create(null), { title: "n" }), "n"],
    ["a proxy is read", new Proxy({ title: "p" }, {}), "p"],
    ["an object of another realm", runInContext('({ title: "r" })', createContext()), "r"],
  ];

  test.each(TAKEN)("%s", async (what, params, title) => {
    for (const way of [facade.dispatch.bind(facade), transport.send.bind(transport)]) {
      for (const key of [{}, { idempotency_key: encodeURIComponent(what) }]) {
        const request = { ...CREATE, params, ...key } as AcpRequest;
        const { data, error } = await way(request);
        expect(error).toBeNull();
        expect(data["title"]).toBe(title);
      }
    }
  });

  test("keys tell lone surrogates apart", async () => {
    const first = { ...KEYED, idempotency_key: "s", params: { title: "\ud800" } };
    await facade.dispatch(first);
    const { error } = await facade.dispatch({ ...first, params: { title: "\ud801" } });
    expect(error?.code).toBe("IDEMPOTENCY_MISMATCH");
  });

  test("-0 is 0", async () => {
    const request = { operation: "event.list", params: { after: -0 } };
    const { data, error } = await facade.dispatch(request);
    expect(error).toBeNull();
    expect(Object.is(data["cursor"], -0)).toBe(false);
    const list = await facade.dispatch({ operation: "session.list", params: { limit: -0 } });
    expect(list.error?.code).toBe("VALIDATION_ERROR");
  });

  test("32 levels pass to the operation, whose own mistake it is then", async () => {
    for (const way of [facade.dispatch.bind(facade), transport.send.bind(transport)]) {
      const response = await way({ ...CREATE, params: { title: nested(30) } } as AcpRequest);
      expect(issuesOf(response)).toEqual([
        { path: ["title"], message: expect.stringContaining("expected string") },
      ]);
    }
  });

  test("each member is read once, so nothing changes after it was checked", async () => {
    let reads = 0;
    const params = {
      get title() {
        reads += 1;
        return reads === 1 ? "first" : (7 as unknown as string);
      },
    };
    const { data } = await facade.dispatch({ ...KEYED, idempotency_key: "once", params });
    expect([data["title"], reads]).toEqual(["first", 1]);
  });
});
