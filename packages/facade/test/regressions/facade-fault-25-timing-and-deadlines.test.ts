import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { SessionService } from "../../src/services/session-service.ts";
import { HttpBench } from "../support/http-bench.ts";

it("every answer says how long it took, and a deadline ends the waiting", async () => {
  let signal: AbortSignal | undefined;
  const slow: SessionService = {
    create: async (_input, caller) => {
      signal = caller.signal;
      await sleep(3_000, undefined, { signal: caller.signal, ref: false });
      throw new Error("too late");
    },
    delete: () => Promise.reject(new Error("unused")),
  };
  await using bench = await HttpBench.start({ services: { session_service: slow } });
  const { status, body } = await bench.send({ operation: "session.create", deadline_ms: 60 });
  expect([status, body.error?.code]).toEqual([504, "TIMEOUT"]);
  expect(body.timing_ms).toBeGreaterThanOrEqual(55);
  expect(signal?.aborted).toBe(true);
  const bodies = [
    await bench.send({ operation: "system.describe" }),
    await bench.send({ operation: "no.such" }),
    await bench.send("{"),
    await bench.send({ operation: "session.list" }, { authorization: "" }),
  ].map((answer) => answer.body);
  for (const { timing_ms: timing } of bodies) expect(timing).toBeGreaterThanOrEqual(0);
});
