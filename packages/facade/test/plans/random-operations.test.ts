import fc from "fast-check";
import { AcumenError } from "@acumen/core";
import { describe, expect, it } from "vitest";
import { PLAN_OPERATIONS, type PlanOperation } from "../../src/plans/legal-calls.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import { STORES } from "../support/facade-stores.ts";
import { callerOf, PlanBench, PROJECT } from "../support/plan-bench.ts";

/** What a plan is, as simply as it can be said: each call comes when nothing runs. */
interface Model {
  point: string;
  attempt: number;
  reversions: number;
  merges: number;
  /** The next run of the executor, or the next merge, fails. */
  fails: boolean;
}

const REFUSED = "refused";

const EXECUTED = ["execute/complete", "execute/errored"];
const APPLIED = ["apply/applied", "apply/errored"];
const PLANNED = ["strategize/complete", "strategize/errored"];
const SAME = (...points: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(points.map((point) => [point, [point, point]]));
const WITH_CHANGE = "execute/cancelled with change";
/** Where each call leads, with all that follows by itself under `supervised`: when the work succeeds, and when it fails. */
const OUTCOMES: Readonly<Record<PlanOperation, Readonly<Record<string, readonly string[]>>>> = {
  "plan.diff": SAME(
    "execute/complete",
    "execute/errored",
    WITH_CHANGE,
    "apply/errored",
    "apply/applied",
    "apply/cancelled",
  ),
  "plan.execute": { "strategize/complete": EXECUTED, ...SAME("execute/complete") },
  "plan.apply": {
    "execute/complete": APPLIED,
    "apply/errored": APPLIED,
    ...SAME("apply/applied"),
  },
  "plan.cancel": {
    "strategize/complete": ["strategize/cancelled", "strategize/cancelled"],
    "strategize/errored": ["strategize/cancelled", "strategize/cancelled"],
    "execute/errored": ["execute/cancelled", "execute/cancelled"],
    "execute/complete": [WITH_CHANGE, WITH_CHANGE],
    "apply/errored": ["apply/cancelled", "apply/cancelled"],
    ...SAME("strategize/cancelled", "execute/cancelled", WITH_CHANGE, "apply/cancelled"),
  },
  "plan.retry": {
    "strategize/errored": PLANNED,
    "execute/errored": EXECUTED,
    "apply/errored": APPLIED,
  },
  "plan.revert": {
    "execute/errored": PLANNED,
    "execute/complete": PLANNED,
    "apply/errored": PLANNED,
  },
};

function outcome({ point, reversions, fails }: Model, operation: PlanOperation): string {
  if (operation === "plan.revert" && reversions >= 3) return REFUSED;
  return OUTCOMES[operation][point]?.[fails ? 1 : 0] ?? REFUSED;
}

function call(bench: PlanBench, id: string, operation: PlanOperation): Promise<unknown> {
  const request = { expected_digest: null, expected_target_head: null, message: null };
  switch (operation) {
    case "plan.diff":
      return bench.plans.diffPlan(id, { format: "summary" }, callerOf());
    case "plan.execute":
      return bench.execute(id);
    case "plan.apply":
      return bench.plans.applyPlan(id, { ...request, waitMs: 0, dryRun: false }, callerOf());
    case "plan.cancel":
      return bench.plans.cancelPlan(id, callerOf());
    case "plan.retry":
      return bench.plans.retryPlan(id, callerOf());
    case "plan.revert":
      return bench.plans.revertPlan(id, {}, callerOf());
  }
}

class PlanCall implements fc.AsyncCommand<Model, { bench: PlanBench; id: string }> {
  readonly operation: PlanOperation;
  readonly fails: boolean;

  constructor(operation: PlanOperation, fails: boolean) {
    this.operation = operation;
    this.fails = fails;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, { bench, id }: { bench: PlanBench; id: string }): Promise<void> {
    model.fails = this.fails;
    const broken = (): Promise<never> => Promise.reject(new Error("broken"));
    bench.executor.strategy = this.fails ? broken : () => Promise.resolve();
    bench.executor.work = this.fails
      ? broken
      : ({ sandbox }) => {
          bench.sandboxes.write(sandbox, "new.txt", "new");
          return Promise.resolve();
        };
    bench.sandboxes.hook = (moment) =>
      this.fails && moment === "begin" ? broken() : Promise.resolve();
    const wanted = outcome(model, this.operation);
    const before = await bench.plan(id);
    const answer = await call(bench, id, this.operation).catch((error: unknown) => error);
    const isRefused = AcumenError.isInstance(answer);
    expect(isRefused, `${this.operation} at ${model.point}`).toBe(wanted === REFUSED);
    const plan = await bench.settled(id);
    if (wanted === REFUSED) {
      expect(answer).toMatchObject({ code: "FACADE_INVALID_STATE" });
      expect(plan).toEqual(before);
      return;
    }
    expect(pointOf(plan)).toBe(wanted.split(" ")[0]);
    if (this.operation === "plan.retry" || this.operation === "plan.revert") model.attempt += 1;
    if (this.operation === "plan.revert") model.reversions += 1;
    if (wanted === "apply/applied" && model.point !== wanted) model.merges += 1;
    model.point = wanted;
    expect(plan).toMatchObject({ attempt: model.attempt, reversion_count: model.reversions });
    expect(bench.sandboxes.merges).toHaveLength(model.merges);
    expect("new.txt" in bench.sandboxes.files(PROJECT)).toBe(model.merges > 0);
    expect(plan.receipt !== null).toBe(model.merges > 0);
  }

  toString(): string {
    return `${this.operation}${this.fails ? " that fails" : ""}`;
  }
}

const commands = fc.commands(
  PLAN_OPERATIONS.map((operation) => fc.boolean().map((fails) => new PlanCall(operation, fails))),
  { maxCommands: 25 },
);

describe.each(STORES)("random calls on the store $name", ({ name, open }) => {
  it("lead where a simple model says", async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (calls) => {
        await using opened = await open();
        const bench = new PlanBench({ store: opened.store });
        const { plan_id: id } = await bench.create();
        await bench.settled(id);
        const model: Model = {
          point: "strategize/complete",
          attempt: 1,
          reversions: 0,
          merges: 0,
          fails: false,
        };
        await fc.asyncModelRun(() => ({ model, real: { bench, id } }), calls);
        const { events } = await bench.store.events({ owner: "local", limit: 1000 });
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        // Each version of the record is told of at most once, in order.
        const versions = events.flatMap(({ data }) =>
          typeof data["version"] === "number" ? [data["version"]] : [],
        );
        expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
        await bench.plans.close();
      }),
      { numRuns: name === "memory" ? 60 : 8 },
    );
  });
});
