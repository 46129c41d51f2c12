import { setTimeout as sleep } from "node:timers/promises";
import { silentLogger, systemClock } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { expect, it, vi } from "vitest";
import { AcpHttpTransport } from "../../src/client/acp-http-transport.ts";
import type { EventsQuery } from "../../src/client/resumed-events.ts";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { draft } from "../events/support.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { HttpBench } from "../support/http-bench.ts";

const SUBSCRIBERS = 100;
const TOKENS = 4;
const RESTARTS = 3;
const BATCHES = 40;
const TYPES = ["x.a", "x.b", "x.c"];

/** The same numbers each time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Follows events and leaves at random points, to go on with a cursor; the transport itself resumes whatever the server cuts. */
class Subscriber {
  readonly filter: EventsQuery;
  readonly seen: AcpEvent[] = [];
  readonly #transport: AcpHttpTransport;
  readonly #random: () => number;
  readonly #stop = new AbortController();

  constructor(transport: AcpHttpTransport, filter: EventsQuery, random: () => number) {
    this.#transport = transport;
    this.filter = filter;
    this.#random = random;
  }

  async follow(): Promise<void> {
    let after = 0;
    while (!this.#stop.signal.aborted) {
      const leave = new AbortController();
      const signal = AbortSignal.any([leave.signal, this.#stop.signal]);
      let count = 5 + Math.floor(this.#random() * 60);
      for await (const event of this.#transport.events({ ...this.filter, after, signal })) {
        this.seen.push(event);
        after = event.seq;
        count -= 1;
        if (count <= 0) break;
      }
      leave.abort();
    }
  }

  stop(): void {
    this.#stop.abort();
  }
}

it("100 subscribers with reconnects and restarts of the server lose, double and reorder nothing", async () => {
  await using folder = await tempFolder();
  const random = randomFrom(4747);
  const start = async (port: number) =>
    HttpBench.start({
      store: await openSqliteStore(folder.join("acumen.db"), {
        clock: systemClock,
        logger: silentLogger,
      }),
      limits: { streamMs: 1_500, drainMs: 200, streams: 1_000 },
      port,
    });
  let bench = await start(0);
  const { port } = bench.server;
  const transports = await Promise.all(
    Array.from({ length: TOKENS }, async () => {
      const transport = new AcpHttpTransport({ token: await bench.tokenWith(["events:read"]) });
      await transport.connect(bench.server.url);
      return transport;
    }),
  );
  const subscribers = Array.from({ length: SUBSCRIBERS }, (_each, index) => {
    const types = [undefined, ["x.a"], ["x.a", "x.c"], ["x.*"]][index % 4];
    const transport = transports[index % TOKENS];
    if (transport === undefined) throw new Error("no transport");
    return new Subscriber(transport, types === undefined ? {} : { types }, random);
  });
  const following = subscribers.map((one) => one.follow());
  for (let batch = 1; batch <= BATCHES; batch += 1) {
    const drafts = Array.from({ length: 1 + Math.floor(random() * 9) }, () =>
      draft(TYPES[Math.floor(random() * TYPES.length)] ?? "x.a"),
    );
    await bench.queue.commit({ events: { owner: "local", drafts } });
    await sleep(random() * 30);
    if (batch % Math.ceil(BATCHES / (RESTARTS + 1)) === 0 && batch < BATCHES) {
      await bench[Symbol.asyncDispose]();
      bench = await start(port);
    }
  }
  const { events: log } = await bench.store.events({ owner: "local", after: 0, limit: 1_000 });
  const expectedOf = ({ types }: EventsQuery): number[] =>
    log.filter(({ event_type: type }) => types?.includes(type) ?? true).map(({ seq }) => seq);
  for (const { filter, seen } of subscribers) {
    const isAll = filter.types === undefined || filter.types.includes("x.*");
    const expected = isAll ? log.map(({ seq }) => seq) : expectedOf(filter);
    await vi.waitFor(() => expect(seen.map(({ seq }) => seq)).toEqual(expected));
    if (filter.types === undefined) continue;
    const previous = [null, ...expected.slice(0, -1)];
    expect(seen.map(({ prev_seq: before }) => before)).toEqual(previous);
  }
  for (const subscriber of subscribers) subscriber.stop();
  await Promise.all(following);
  expect(log.length).toBeGreaterThan(100);
  await bench[Symbol.asyncDispose]();
});
