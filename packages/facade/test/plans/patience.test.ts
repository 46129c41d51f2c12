import { describe, expect, it, vi } from "vitest";
import { AcpNotAvailableError } from "../../src/errors/acp-error.ts";
import { RETRY_MS } from "../../src/plans/patience.ts";
import type { ProfileName } from "../../src/plans/profile.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import type { StoreChange } from "../../src/store/facade-store.ts";
import { PlanBench, TASK } from "../support/plan-bench.ts";

const FULL = new AcpNotAvailableError("The disk of the database is full.", { retryable: true });

/** A store whose disk is full from the first write on that the function picks, until it has room again. */
function benchWith(
  begins: (change: StoreChange) => boolean,
  { error = FULL, concurrency = 4 }: { readonly error?: Error; readonly concurrency?: number } = {},
) {
  let isFull = false;
  let refused = 0;
  const bench = new PlanBench({
    settings: { concurrency },
    beforeCommit: (change) => {
      isFull ||= refused === 0 && begins(change);
      if (!isFull) return;
      refused += 1;
      throw error;
    },
  });
  const goOn = async (): Promise<void> => {
    // It was tried again while there was no room.
    for (const before of [refused, refused + 1]) {
      await vi.waitFor(() => {
        bench.ring(RETRY_MS);
        expect(refused).toBeGreaterThan(before);
      });
    }
    isFull = false;
  };
  return { bench, goOn, isRefusing: () => refused > 0 };
}

const arrivesAt =
  (point: string) =>
  ({ plans = [] }: StoreChange): boolean =>
    plans.some((plan) => pointOf(plan) === point);

const tells =
  (type: string) =>
  ({ events }: StoreChange): boolean =>
    events?.drafts.some(({ event_type }) => event_type === type) ?? false;

const CHECK = { name: "check", run: "true", timeout_seconds: 5, network: false };
const PROFILE_TO: Readonly<Record<string, ProfileName>> = { execute: "auto", apply: "full-auto" };

describe("a plan whose store is full for a while", () => {
  it.each([
    ["is taken by a worker", arrivesAt("strategize/processing"), "strategize/complete"],
    ["has its strategy", arrivesAt("strategize/complete"), "strategize/complete"],
    ["goes on to the next phase", arrivesAt("execute/queued"), "execute/complete"],
    ["tells of its work", tells("actor.invoked"), "execute/complete"],
    ["has its change", arrivesAt("execute/complete"), "execute/complete"],
    ["tells of its validations", tells("validation.started"), "apply/applied"],
    ["was merged", arrivesAt("apply/applied"), "apply/applied"],
  ])("loses nothing when that begins as it %s", async (_name, begins, result) => {
    const { bench, goOn, isRefusing } = benchWith(begins);
    bench.actions.set(TASK.name, { ...TASK, validations: [CHECK] });
    const write = bench.executor.work;
    bench.executor.work = async (run) => {
      await run.event({ event_type: "actor.invoked", data: {} });
      await write(run);
    };
    const profile = PROFILE_TO[result.split("/")[0] ?? ""] ?? "supervised";
    const { plan_id: id } = await bench.create({ profile });
    await vi.waitFor(() => expect(isRefusing()).toBe(true));
    await goOn();
    await vi.waitFor(async () => {
      bench.ring(RETRY_MS);
      expect(pointOf(await bench.plan(id))).toBe(result);
    });
    await bench.plans.close();
  });

  it("does not hold up the end of the process", async () => {
    const { bench, isRefusing } = benchWith(arrivesAt("strategize/complete"));
    await bench.create();
    await vi.waitFor(() => expect(isRefusing()).toBe(true));
    await bench.plans.close();
  });

  it("is not waited for when the failure does not pass", async () => {
    const lasting = new AcpNotAvailableError("The database is damaged.");
    const { bench, isRefusing } = benchWith(arrivesAt("strategize/processing"), { error: lasting });
    await bench.create();
    await vi.waitFor(() => expect(isRefusing()).toBe(true));
    await vi.waitFor(() => expect(bench.logged.join("\n")).toContain("could not finish"));
    expect(bench.timers.filter(({ ms }) => ms === RETRY_MS)).toEqual([]);
    await bench.plans.close();
  });
});

it("lets many plans wait for room at once without a warning of a leak", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  try {
    const { bench, goOn, isRefusing } = benchWith(arrivesAt("execute/queued"), { concurrency: 20 });
    const plans = await Promise.all(
      Array.from({ length: 14 }, () => bench.create({ profile: "auto" })),
    );
    await vi.waitFor(() => {
      expect(isRefusing()).toBe(true);
      expect(bench.timers.filter(({ ms }) => ms === RETRY_MS).length).toBeGreaterThan(10);
    });
    await goOn();
    for (const { plan_id: id } of plans) {
      await vi.waitFor(async () => {
        bench.ring(RETRY_MS);
        expect(pointOf(await bench.plan(id))).toBe("execute/complete");
      });
    }
    await bench.plans.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings.map(({ name }) => name)).not.toContain("MaxListenersExceededWarning");
  } finally {
    process.off("warning", note);
  }
});
