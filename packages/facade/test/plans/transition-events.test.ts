import { describe, expect, it } from "vitest";
import type { ExecutorRun } from "../../src/plans/plan-executor.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import { STORES } from "../support/facade-stores.ts";
import { callerOf, PlanBench, PROJECT, TASK } from "../support/plan-bench.ts";

interface Row {
  /** As the table of the lifecycle has it. */
  readonly row: string;
  /** What was there before, and is not looked at. */
  readonly given: (bench: PlanBench) => Promise<string>;
  readonly when: (bench: PlanBench, id: string) => Promise<unknown>;
  /** Types of all events from then until nothing goes on by itself. */
  readonly events: readonly string[];
  readonly to: string;
}

const broken = (): Promise<never> => Promise.reject(new Error("broken"));

async function created(bench: PlanBench): Promise<string> {
  return (await bench.create()).plan_id;
}

async function planned(bench: PlanBench): Promise<string> {
  const id = await created(bench);
  await bench.settled(id);
  return id;
}

async function executed(bench: PlanBench): Promise<string> {
  return (await bench.executed()).plan_id;
}

async function failedStrategy(bench: PlanBench): Promise<string> {
  bench.executor.strategy = broken;
  const id = await planned(bench);
  bench.executor.strategy = () => Promise.resolve();
  return id;
}

async function failedExecution(bench: PlanBench): Promise<string> {
  const { work } = bench.executor;
  bench.executor.work = broken;
  const id = await executed(bench);
  bench.executor.work = work;
  return id;
}

async function constrained(bench: PlanBench): Promise<string> {
  const id = await executed(bench);
  bench.sandboxes.outcomes.set("check", "failed");
  await bench.apply(id);
  await bench.settled(id);
  bench.sandboxes.outcomes.delete("check");
  return id;
}

async function failedApply(bench: PlanBench): Promise<string> {
  const id = await executed(bench);
  bench.sandboxes.hook = broken;
  await bench.apply(id);
  await bench.settled(id);
  bench.sandboxes.hook = () => Promise.resolve();
  return id;
}

const cancel = (bench: PlanBench, id: string) => bench.plans.cancelPlan(id, callerOf());
const retry = (bench: PlanBench, id: string) => bench.plans.retryPlan(id, callerOf());
const revert = (bench: PlanBench, id: string) => bench.plans.revertPlan(id, {}, callerOf());

/** Holds the worker where it is, so that a plan can be met at work. */
async function held(bench: PlanBench, phase: "strategize" | "execute"): Promise<string> {
  const wait = ({ signal }: ExecutorRun): Promise<void> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
    });
  if (phase === "strategize") bench.executor.strategy = wait;
  else bench.executor.work = wait;
  const id = phase === "strategize" ? await created(bench) : await planned(bench);
  if (phase === "execute") await bench.execute(id);
  await bench.until(id, () => bench.executor.running === 1);
  return id;
}

const PLANNING = ["plan.state_changed", "decision.created", "plan.state_changed"];
const WORKING = [
  "plan.state_changed",
  "sandbox.created",
  "x.work.step",
  "checkpoint.created",
  "plan.state_changed",
];
const MERGING = [
  "plan.state_changed",
  "validation.started",
  "validation.passed",
  "sandbox.committed",
  "plan.applied",
];
const REFUSED = [
  "plan.state_changed",
  "validation.started",
  "validation.failed",
  "plan.constrained",
];
const WITHDRAWN = ["plan.cancelled", "sandbox.rolled_back"];

const ROWS: readonly Row[] = [
  {
    row: "plan.create, and the strategy is made",
    given: () => Promise.resolve(""),
    when: (bench) => bench.create(),
    events: ["plan.created", ...PLANNING],
    to: "strategize/complete",
  },
  {
    row: "the strategy fails",
    given: () => Promise.resolve(""),
    when: (bench) => {
      bench.executor.strategy = broken;
      return bench.create();
    },
    events: ["plan.created", "plan.state_changed", "plan.errored"],
    to: "strategize/errored",
  },
  {
    row: "plan.execute after the strategy, and the work is done",
    given: planned,
    when: (bench, id) => bench.execute(id),
    events: ["plan.phase_changed", ...WORKING],
    to: "execute/complete",
  },
  {
    row: "the work fails",
    given: planned,
    when: (bench, id) => {
      bench.executor.work = broken;
      return bench.execute(id);
    },
    events: ["plan.phase_changed", "plan.state_changed", "sandbox.created", "plan.errored"],
    to: "execute/errored",
  },
  {
    row: "plan.apply: the merge is clean, and validations pass",
    given: executed,
    when: (bench, id) => bench.apply(id),
    events: ["plan.phase_changed", ...MERGING],
    to: "apply/applied",
  },
  {
    row: "plan.apply: a conflict",
    given: executed,
    when: (bench, id) => {
      bench.sandboxes.commit(PROJECT, { "new.txt": "other" });
      return bench.apply(id);
    },
    events: ["plan.phase_changed", "plan.state_changed", "plan.constrained"],
    to: "apply/constrained",
  },
  {
    row: "plan.apply: a validation fails",
    given: executed,
    when: (bench, id) => {
      bench.sandboxes.outcomes.set("check", "failed");
      return bench.apply(id);
    },
    events: ["plan.phase_changed", ...REFUSED],
    to: "apply/constrained",
  },
  {
    row: "plan.apply: a fault of the disk",
    given: executed,
    when: (bench, id) => {
      bench.sandboxes.hook = broken;
      return bench.apply(id);
    },
    events: ["plan.phase_changed", "plan.state_changed", "plan.errored"],
    to: "apply/errored",
  },
  {
    row: "plan.cancel of a strategy that is being made: there is no copy of it to tell of",
    given: (bench) => held(bench, "strategize"),
    when: cancel,
    events: ["plan.cancelled"],
    to: "strategize/cancelled",
  },
  {
    row: "plan.cancel of work that goes on",
    given: (bench) => held(bench, "execute"),
    when: cancel,
    events: WITHDRAWN,
    to: "execute/cancelled",
  },
  {
    row: "plan.cancel of work that is done",
    given: executed,
    when: cancel,
    events: WITHDRAWN,
    to: "execute/cancelled",
  },
  {
    row: "plan.cancel of work that failed",
    given: failedExecution,
    when: cancel,
    events: WITHDRAWN,
    to: "execute/cancelled",
  },
  {
    row: "plan.cancel of a constrained apply",
    given: constrained,
    when: cancel,
    events: WITHDRAWN,
    to: "apply/cancelled",
  },
  {
    row: "plan.cancel of a failed apply",
    given: failedApply,
    when: cancel,
    events: WITHDRAWN,
    to: "apply/cancelled",
  },
  {
    row: "plan.retry of a strategy",
    given: failedStrategy,
    when: retry,
    events: ["plan.retried", ...PLANNING],
    to: "strategize/complete",
  },
  {
    row: "plan.retry of the work",
    given: failedExecution,
    when: retry,
    events: ["plan.retried", ...WORKING],
    to: "execute/complete",
  },
  {
    row: "plan.execute with retry: true",
    given: failedExecution,
    when: (bench, id) => bench.execute(id, true),
    events: ["plan.retried", ...WORKING],
    to: "execute/complete",
  },
  {
    row: "plan.retry of an apply",
    given: failedApply,
    when: retry,
    events: ["plan.retried", ...MERGING],
    to: "apply/applied",
  },
  ...(
    [
      ["work that failed", failedExecution],
      ["work that is done", executed],
      ["a constrained apply", constrained],
      ["a failed apply", failedApply],
    ] as const
  ).map(([what, given]): Row => ({
    row: `plan.revert of ${what}`,
    given,
    when: revert,
    events: ["plan.reverted", ...PLANNING],
    to: "strategize/complete",
  })),
  {
    row: "plan.apply again after the cause is gone",
    given: constrained,
    when: (bench, id) => bench.apply(id),
    events: ["plan.state_changed", ...MERGING],
    to: "apply/applied",
  },
];

describe.each(STORES)("the events of the lifecycle on the store $name", ({ open }) => {
  it.each(ROWS)("$row: $to", async ({ given, when, events, to }) => {
    await using opened = await open();
    const bench = new PlanBench({ store: opened.store });
    const check = { name: "check", run: "true", timeout_seconds: 5, network: false };
    bench.actions.set(TASK.name, { ...TASK, validations: [check] });
    const { work } = bench.executor;
    bench.executor.work = async (run) => {
      await run.event({ event_type: "x.work.step", data: {} });
      await work(run);
    };
    const before = await given(bench);
    const seen = before === "" ? 0 : (await bench.events(before)).length;
    await when(bench, before);
    const { items } = await bench.plans.listPlans({ limit: 1 }, callerOf());
    const id = items[0]?.plan_id ?? "";
    const plan = await bench.settled(id);
    expect(pointOf(plan)).toBe(to);
    const told = (await bench.events(id)).slice(seen);
    expect(told.map(({ event_type: type }) => type)).toEqual(events);
    // What says where the plan stands says it right in the end.
    const last = told.findLast(({ data }) => "version" in data);
    expect(last?.data).toMatchObject({ phase: plan.phase, state: plan.state });
    await bench.plans.close();
  });
});
