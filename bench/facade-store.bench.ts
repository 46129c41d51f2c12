import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@acumen/core";
import {
  type AcpEvent,
  AcpEventQueue,
  type FacadeStore,
  LOCAL_PRINCIPAL,
  MemoryFacadeStore,
  openSqliteStore,
} from "@acumen/facade";
import { atLeast, type BenchResult, figure, type Measurement, summarise } from "./bench-result.ts";

const EVENTS = 20_000;
const BATCH = 100;
const RUNS = 7;
const SUBSCRIBERS = 100;
const DELIVERED = 5_000;

/** The event log: appends that are on disk when they are acknowledged, and delivery to many. */
export async function run(): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "acumen-bench-"));
  try {
    const results: BenchResult[] = [];
    for (const kind of ["sqlite", "memory"] as const) {
      const open = async (name: string): Promise<FacadeStore> =>
        kind === "memory"
          ? new MemoryFacadeStore()
          : openSqliteStore(join(folder, name), { clock: systemClock, logger: silentLogger });
      results.push(...(await appends(kind, open)), await delivery(kind, open));
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Open = (name: string) => Promise<FacadeStore>;

function drafts(count: number): { event_type: string; data: { call_id: string; tool: string } }[] {
  return Array.from({ length: count }, (_, i) => ({
    event_type: "tool.completed",
    data: { call_id: `call-${i}`, tool: "builtin/bash" },
  }));
}

/** Events per second, one measurement per run. */
async function rate(
  count: number,
  runs: number,
  work: (run: number) => Promise<void>,
): Promise<Measurement> {
  const rates: number[] = [];
  // The first run pays for compiling.
  for (let at = 0; at <= runs; at += 1) {
    const start = performance.now();
    await work(at);
    if (at > 0) rates.push((count * 1_000) / (performance.now() - start));
  }
  return summarise(rates);
}

async function appends(kind: string, open: Open): Promise<BenchResult[]> {
  const store = await open("appends.db");
  const queue = new AcpEventQueue({ store });
  const batch = drafts(BATCH);
  const batched = await rate(EVENTS, RUNS, async () => {
    for (let done = 0; done < EVENTS; done += BATCH) {
      await queue.commit({ events: { owner: "local", drafts: batch } });
    }
  });
  const [one] = drafts(1);
  const single = await rate(EVENTS / 4, RUNS, async () => {
    for (let done = 0; done < EVENTS / 4; done += 1) {
      await queue.commit({ events: { owner: "local", drafts: one === undefined ? [] : [one] } });
    }
  });
  await queue.close();
  await store.close();
  const note = `${EVENTS} events with schema check, ${BATCH} per transaction`;
  const bar = figure(`event log, batched appends (${kind})`, "events/s", batched, note);
  return [
    atLeast(20_000, bar),
    figure(`event log, single appends (${kind})`, "events/s", single, "one transaction each"),
  ];
}

/** Half of them callbacks, half of them streams; a lost, doubled or late event makes the run fail. */
async function delivery(kind: string, open: Open): Promise<BenchResult> {
  let loops = 0;
  const measured = await rate(DELIVERED, 3, async () => {
    loops += 1;
    const store = await open(`delivery-${loops}.db`);
    const queue = new AcpEventQueue({ store });
    const followers = Array.from({ length: SUBSCRIBERS }, (_, i) =>
      i % 2 === 0 ? followByCallback(queue) : followByStream(queue),
    );
    const done = Promise.all(followers);
    // Opening a stream takes a moment; none of them may miss the first event.
    await new Promise((resolve) => setImmediate(resolve));
    const batch = drafts(BATCH);
    for (let sent = 0; sent < DELIVERED; sent += BATCH) {
      await queue.commit({ events: { owner: "local", drafts: batch } });
    }
    await done;
    await queue.close();
    await store.close();
  });
  const note = `${DELIVERED} events to ${SUBSCRIBERS} subscribers, each in order, none lost or doubled; appends included`;
  return figure(`event log, delivery to ${SUBSCRIBERS} (${kind})`, "events/s", measured, note);
}

/** Throws at the first event that is not the next one. @returns true when it was the last one */
function checker(): (event: AcpEvent) => boolean {
  let last = 0;
  return ({ seq, event_type: type }) => {
    if (seq !== last + 1) throw new Error(`After event ${last} came ${type} ${seq}.`);
    last = seq;
    return seq === DELIVERED;
  };
}

function followByCallback(queue: AcpEventQueue): Promise<void> {
  const isLast = checker();
  return new Promise((resolve, reject) => {
    queue.subscribeLocal((event) => {
      try {
        if (isLast(event)) resolve();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

async function followByStream(queue: AcpEventQueue): Promise<void> {
  const isLast = checker();
  const caller = { principal: LOCAL_PRINCIPAL };
  const { subscription_id: id } = await queue.open({ after: 0 }, caller);
  const { signal } = new AbortController();
  for await (const event of queue.events(id, { ...caller, signal })) {
    if (isLast(event)) return;
  }
}
