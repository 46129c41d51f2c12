import { afterEach, describe, expect, test, vi } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { AcpVersionNegotiator } from "../../src/envelope/version-negotiator.ts";
import { AcpNotAvailableError, AcpVersionMismatchError } from "../../src/errors/acp-error.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";

describe("AcpVersionNegotiator", () => {
  test("supports what the reference says", () => {
    expect(AcpVersionNegotiator.SUPPORTED).toEqual(["1.0"]);
  });

  test.each([
    ["1.0", "1.0"],
    ["2.0", AcpVersionMismatchError],
  ] as const)("%s", (version, outcome) => {
    const negotiate = (): string => new AcpVersionNegotiator().negotiate(version);
    if (typeof outcome === "string") expect(negotiate()).toBe(outcome);
    else expect(negotiate).toThrow(outcome);
  });
});

const NOBODY = "http://127.0.0.1:9";
const queues: AcpEventQueue[] = [];
afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.close()));
});

function queue(): AcpEventQueue {
  const made = new AcpEventQueue();
  queues.push(made);
  return made;
}

/** Methods of the queue, row by row as the protocol's reference has them. */
const QUEUE_METHODS: readonly (readonly [string, () => Promise<void>])[] = [
  [
    "publish appends an event and notifies callbacks",
    async () => {
      const events = queue();
      const seen: AcpEvent[] = [];
      events.subscribeLocal((event) => void seen.push(event));
      const published = await events.publish({ event_type: "x.mine", data: { n: 1 } });
      await vi.waitFor(() =>
        expect(seen.map(({ event_id: id }) => id)).toEqual([published.event_id]),
      );
      expect((await events.getEvents()).map(({ event_id: id }) => id)).toEqual([
        published.event_id,
      ]);
    },
  ],
  [
    "subscribeLocal gives the subscription's id",
    () => {
      expect(queue().subscribeLocal(() => undefined)).toMatch(/^\S+$/);
      return Promise.resolve();
    },
  ],
  [
    "unsubscribe removes it",
    async () => {
      const events = queue();
      const seen: AcpEvent[] = [];
      const id = events.subscribeLocal((event) => void seen.push(event));
      expect([events.unsubscribe(id), events.unsubscribe(id)]).toEqual([true, false]);
      await events.publish({ event_type: "x.mine" });
      expect(seen.filter(({ event_type: type }) => type === "x.mine")).toEqual([]);
    },
  ],
  [
    "getEvents(limit) gives recent events",
    async () => {
      const events = queue();
      for (const n of [1, 2, 3]) await events.publish({ event_type: "x.mine", data: { n } });
      expect((await events.getEvents(2)).map(({ data }) => data["n"])).toEqual([2, 3]);
    },
  ],
  [
    "subscribeRemote raises AcpNotAvailableError where no server is",
    async () => {
      const subscribed = queue().subscribeRemote(NOBODY, () => undefined);
      await expect(subscribed).rejects.toBeInstanceOf(AcpNotAvailableError);
    },
  ],
];

describe("AcpEventQueue", () => {
  test.each(QUEUE_METHODS)("%s", async (_what, check) => {
    await check();
  });
});

/** Methods of the transport, where there is no server. */
const TRANSPORT_METHODS: readonly (readonly [
  string,
  (transport: AcpHttpTransport) => Promise<unknown>,
  unknown,
])[] = [
  ["send", (transport) => transport.send({ operation: "plan.list" }), AcpNotAvailableError],
  ["connect", (transport) => transport.connect(NOBODY), AcpNotAvailableError],
  ["disconnect", (transport) => transport.disconnect(), undefined],
  ["isConnected", (transport) => Promise.resolve(transport.isConnected()), false],
];

describe("AcpHttpTransport without a server", () => {
  test.each(TRANSPORT_METHODS)("%s", async (_name, call, outcome) => {
    const result = call(new AcpHttpTransport({ token: "t" }));
    if (typeof outcome === "function") await expect(result).rejects.toBeInstanceOf(outcome);
    else expect(await result).toBe(outcome);
  });
});
