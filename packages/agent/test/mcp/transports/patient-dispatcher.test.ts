import { expect, test } from "vitest";
import { patientDispatcher } from "../../../src/mcp/transports/patient-dispatcher.ts";
import { httpBench } from "./http-bench.ts";

test("requests go through the global dispatcher, without limits of their own", async () => {
  await using server = await httpBench((_seen, response) => response.end("ok"));
  const symbol = Symbol.for("undici.globalDispatcher.1");
  // Whatever is set there by a host counts, such as one that uses a proxy.
  await fetch(server.url);
  const global = Reflect.get(globalThis, symbol) as { dispatch: (...args: unknown[]) => boolean };
  const options: unknown[] = [];
  const watched = {
    dispatch: (first: unknown, ...rest: unknown[]) => {
      options.push(first);
      return global.dispatch(first, ...rest);
    },
  };
  Reflect.set(globalThis, symbol, watched);
  try {
    const response = await fetch(server.url, { dispatcher: patientDispatcher });
    expect(await response.text()).toBe("ok");
  } finally {
    Reflect.set(globalThis, symbol, global);
  }
  expect(options).toEqual([
    expect.objectContaining({ path: "/mcp", method: "GET", headersTimeout: 0, bodyTimeout: 0 }),
  ]);
});
