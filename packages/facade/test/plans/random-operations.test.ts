import fc from "fast-check";
import { AcumenError } from "@acumen/core";
import { describe, expect, it } from "vitest";
import type { Plan } from "../../src/plans/plan.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import type { FacadeStore } from "../../src/store/facade-store.ts";
import { STORES } from "../support/facade-stores.ts";
import { callerOf, PlanBench, PROJECT, TASK } from "../support/plan-bench.ts";

const CALLS = [
  "diff",
  "execute",
  "execute with retry",
  "apply",
  "cancel",
  "retry",
  "revert",
] as const;
type Call = (typeof CALLS)[number];

/** What goes wrong in what follows a call: the executor or the merge itself, or a validation. */
const TROUBLES = ["nothing", "the work", "a validation"] as const;
type Trouble = (typeof TROUBLES)[number];

/** What a plan is, as simply as it can be said: each call comes when nothing runs. */
interface Model {
  point: string;
  attempt: number;
  reversions: number;
  merges: number;
  /** Execute follows the strategy by itself. */
  isRequested: boolean;
  /** The target has another file of that name since the plan began. */
  isMoved: boolean;
  moves: number;
  /** What the target has of that name. */
  file: string | undefined;
}

interface Real {
  readonly bench: PlanBench;
  readonly id: string;
}

const REFUSED = "refused";
const WITH_CHANGE = "execute/cancelled with change";

/** What a call that is not refused begins under `supervised`; anything else is where the plan stands then. */
const LEADS: Readonly<Record<Call, Readonly<Record<string, string>>>> = {
  diff: same(
    "execute/complete",
    "execute/errored",
    WITH_CHANGE,
    "apply/constrained",
    "apply/errored",
    "apply/applied",
    "apply/cancelled",
  ),
  execute: { "strategize/complete": "work", ...same("execute/complete") },
  "execute with retry": {
    "strategize/complete": "work",
    "strategize/errored": "strategy and work",
    "execute/errored": "work",
    ...same("execute/complete"),
  },
  apply: {
    "execute/complete": "merge",
    "apply/constrained": "merge",
    "apply/errored": "merge",
    ...same("apply/applied"),
  },
  cancel: {
    "strategize/complete": "strategize/cancelled",
    "strategize/errored": "strategize/cancelled",
    "execute/errored": "execute/cancelled",
    "execute/complete": WITH_CHANGE,
    "apply/constrained": "apply/cancelled",
    "apply/errored": "apply/cancelled",
    ...same("strategize/cancelled", "execute/cancelled", WITH_CHANGE, "apply/cancelled"),
  },
  retry: { "strategize/errored": "strategy", "execute/errored": "work", "apply/errored": "merge" },
  revert: {
    "execute/errored": "strategy",
    "execute/complete": "strategy",
    "apply/constrained": "strategy",
    "apply/errored": "strategy",
  },
};

function same(...points: readonly string[]): Record<string, string> {
  return Object.fromEntries(points.map((point) => [point, point]));
}

/** Where what a call begins ends, when the work succeeds and when it fails. */
const ENDS: Readonly<Record<string, readonly [string, string]>> = {
  strategy: ["strategize/complete", "strategize/errored"],
  "strategy and work": ["execute/complete", "strategize/errored"],
  work: ["execute/complete", "execute/errored"],
  merge: ["apply/applied", "apply/errored"],
};

/** Where a call leads, with all that follows by itself. */
function outcome(model: Model, call: Call, trouble: Trouble): string {
  const { point, reversions, isRequested, isMoved } = model;
  if (call === "revert" && reversions >= 3) return REFUSED;
  const lead = LEADS[call][point] ?? REFUSED;
  const goesOn = lead === "strategy" && call === "retry" && isRequested;
  const ends = ENDS[goesOn ? "strategy and work" : lead];
  if (ends === undefined) return lead;
  const end = ends[trouble === "the work" ? 1 : 0];
  const isRefused = isMoved || trouble === "a validation";
  return end === "apply/applied" && isRefused ? "apply/constrained" : end;
}

/** What the model is after a call that was not refused. */
function advance(model: Model, call: Call, point: string): void {
  const isAnew = call === "execute with retry" && model.point.endsWith("/errored");
  if (isAnew || call === "retry" || call === "revert") model.attempt += 1;
  if (isAnew || point.startsWith("execute")) model.isRequested = true;
  if (call === "revert") {
    model.reversions += 1;
    model.isMoved = false;
    model.isRequested = false;
  }
  if (point === "apply/applied" && model.point !== point) {
    model.merges += 1;
    model.file = "new";
  }
  model.point = point;
}

function make({ bench, id }: Real, call: Call): Promise<unknown> {
  const request = { expected_digest: null, expected_target_head: null, message: null };
  switch (call) {
    case "diff":
      return bench.plans.diffPlan(id, { format: "summary" }, callerOf());
    case "execute":
      return bench.execute(id);
    case "execute with retry":
      return bench.execute(id, true);
    case "apply":
      return bench.plans.applyPlan(id, { ...request, waitMs: 0, dryRun: false }, callerOf());
    case "cancel":
      return bench.plans.cancelPlan(id, callerOf());
    case "retry":
      return bench.plans.retryPlan(id, callerOf());
    case "revert":
      return bench.plans.revertPlan(id, {}, callerOf());
  }
}

function prepare({ bench }: Real, trouble: Trouble): void {
  const fails = trouble === "the work";
  const broken = (): Promise<never> => Promise.reject(new Error("broken"));
  bench.executor.strategy = fails ? broken : () => Promise.resolve();
  bench.executor.work = fails
    ? broken
    : ({ sandbox }) => {
        bench.sandboxes.write(sandbox, "new.txt", "new");
        return Promise.resolve();
      };
  bench.sandboxes.hook = (moment) => (fails && moment === "begin" ? broken() : Promise.resolve());
  bench.sandboxes.outcomes.set("check", trouble === "a validation" ? "failed" : "passed");
}

function expectWhole({ bench }: Real, plan: Plan, model: Model): void {
  expect(plan).toMatchObject({ attempt: model.attempt, reversion_count: model.reversions });
  expect(bench.sandboxes.merges).toHaveLength(model.merges);
  expect(bench.sandboxes.files(PROJECT)["new.txt"]).toBe(model.file);
  expect(plan.receipt !== null).toBe(model.merges > 0);
}

type Command = fc.AsyncCommand<Model, Real>;

class OneCall implements Command {
  readonly call: Call;
  readonly trouble: Trouble;

  constructor(call: Call, trouble: Trouble) {
    this.call = call;
    this.trouble = trouble;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const { call } = this;
    const { bench, id } = real;
    prepare(real, this.trouble);
    const wanted = outcome(model, call, this.trouble);
    const before = await bench.plan(id);
    const answer = await make(real, call).catch((error: unknown) => error);
    expect(AcumenError.isInstance(answer), `${call} at ${model.point}`).toBe(wanted === REFUSED);
    const plan = await bench.settled(id);
    if (wanted === REFUSED) {
      expect(answer).toMatchObject({ code: "FACADE_INVALID_STATE" });
      expect(plan).toEqual(before);
      return;
    }
    expect(pointOf(plan), `${call} at ${model.point}`).toBe(wanted.split(" ")[0]);
    if (wanted === "apply/constrained" && (call === "apply" || call === "retry")) {
      expect((plan.conflicts ?? []).length > 0).toBe(model.isMoved);
    }
    advance(model, call, wanted);
    expectWhole(real, plan, model);
  }

  toString(): string {
    return `${this.call}, ${this.trouble} fails`;
  }
}

/** Somebody else writes the same file. */
class TargetMoves implements Command {
  check({ merges }: Model): boolean {
    return merges === 0;
  }

  async run(model: Model, { bench }: Real): Promise<void> {
    model.moves += 1;
    model.isMoved = true;
    model.file = `moved ${model.moves} times`;
    bench.sandboxes.commit(PROJECT, { "new.txt": model.file });
  }

  toString(): string {
    return "the target moves";
  }
}

class Listing implements Command {
  check(): boolean {
    return true;
  }

  async run(model: Model, { bench, id }: Real): Promise<void> {
    const plan = await bench.plan(id);
    expect(pointOf(plan)).toBe(model.point.split(" ")[0]);
    const found = { items: [plan] };
    const of = { phase: plan.phase, states: [plan.state] };
    expect(await bench.plans.listPlans({ limit: 1 }, callerOf())).toMatchObject(found);
    expect(await bench.plans.listPlans({ ...of, limit: 1 }, callerOf())).toMatchObject(found);
    const others = (["queued", "applied"] as const).filter((state) => state !== plan.state);
    const { items } = await bench.plans.listPlans({ states: others, limit: 200 }, callerOf());
    expect(items.map(({ plan_id }) => plan_id)).not.toContain(id);
  }

  toString(): string {
    return "list";
  }
}

/** Which of two calls is first nobody knows: what must hold then holds whoever it is, and the model looks where the plan stands. */
class TwoCalls implements Command {
  readonly calls: readonly [Call, Call];
  readonly trouble: Trouble;

  constructor(calls: readonly [Call, Call], trouble: Trouble) {
    this.calls = calls;
    this.trouble = trouble;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const { bench, id } = real;
    prepare(real, this.trouble);
    const answers = await Promise.allSettled(this.calls.map((call) => make(real, call)));
    const plan = await bench.settled(id);
    let begun = 0;
    for (const [index, answer] of answers.entries()) {
      const call = this.calls[index];
      if (answer.status === "fulfilled" && call !== "diff" && call !== "cancel") begun += 1;
      if (answer.status === "rejected") {
        expect(answer.reason).toMatchObject({
          code: expect.stringMatching(/^FACADE_(INVALID_STATE|PLAN_ERROR)$/) as string,
        });
      }
    }
    expect(plan.attempt - model.attempt).toBeLessThanOrEqual(begun);
    expect(plan.reversion_count).toBeLessThanOrEqual(3);
    const merges = bench.sandboxes.merges.length;
    expect(merges).toBe(plan.state === "applied" ? 1 : 0);
    if (merges > model.merges) model.file = "new";
    if (plan.reversion_count > model.reversions) model.isMoved = false;
    const hasChange = pointOf(plan) === "execute/cancelled" && plan.changeset !== null;
    Object.assign(model, {
      point: hasChange ? WITH_CHANGE : pointOf(plan),
      attempt: plan.attempt,
      reversions: plan.reversion_count,
      merges,
      isRequested: plan.execute_requested,
    });
    expectWhole(real, plan, model);
    expect(bench.executor.running).toBe(0);
  }

  toString(): string {
    return `${this.calls.join(" and ")} at once, ${this.trouble} fails`;
  }
}

function randomCommands() {
  const trouble = fc.constantFrom<Trouble>("nothing", ...TROUBLES);
  // What leads on comes more often than what ends a plan, so that all of it is reached.
  const leading = ["execute", "apply", "retry", "revert"] as const;
  const call = fc.constantFrom<Call>(...leading, ...leading, "execute", "apply", ...CALLS);
  const one = fc.tuple(call, trouble).map((args) => new OneCall(...args));
  return fc.commands(
    [
      one,
      one,
      one,
      one,
      fc.tuple(fc.tuple(call, call), trouble).map((args) => new TwoCalls(...args)),
      fc.constant(new TargetMoves()),
      fc.constant(new Listing()),
    ],
    { maxCommands: 30, size: "max" },
  );
}

const CHECK = { name: "check", run: "true", timeout_seconds: 5, network: false };

async function run(store: FacadeStore, commands: Iterable<Command>): Promise<void> {
  const { newest } = await store.eventBounds("local");
  const bench = new PlanBench({ store });
  bench.actions.set(TASK.name, { ...TASK, validations: [CHECK] });
  const { plan_id: id } = await bench.create();
  await bench.settled(id);
  const model: Model = {
    point: "strategize/complete",
    attempt: 1,
    reversions: 0,
    merges: 0,
    isRequested: false,
    isMoved: false,
    moves: 0,
    file: undefined,
  };
  await fc.asyncModelRun(() => ({ model, real: { bench, id } }), commands);
  const { events } = await store.events({ owner: "local", after: newest, limit: 1000 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => newest + at + 1));
  // Each version of the record is told of at most once, in order.
  const versions = events.flatMap(({ data }) =>
    typeof data["version"] === "number" ? [data["version"]] : [],
  );
  expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
  await bench.plans.close();
}

/** Looks where the plan stands by now. */
function at(point: string): Command {
  return {
    check: () => true,
    run: async (model) => expect(model.point).toBe(point),
    toString: () => `at ${point}`,
  };
}

const fine = (call: Call): Command => new OneCall(call, "nothing");
const fails = (call: Call): Command => new OneCall(call, "the work");

/** What random calls meet only by chance. */
const WALK: readonly Command[] = [
  fails("execute"),
  at("execute/errored"),
  fails("retry"),
  at("execute/errored"),
  fine("execute with retry"),
  at("execute/complete"),
  new Listing(),
  fails("apply"),
  at("apply/errored"),
  new OneCall("retry", "a validation"),
  at("apply/constrained"),
  new TargetMoves(),
  fine("apply"),
  at("apply/constrained"),
  fine("retry"),
  fails("revert"),
  at("strategize/errored"),
  fine("execute"),
  fine("execute with retry"),
  at("execute/complete"),
  new TwoCalls(["diff", "apply"], "nothing"),
  at("apply/applied"),
  new Listing(),
  fine("cancel"),
  fine("diff"),
];

describe.each(STORES)("calls on the store $name", ({ name, open }) => {
  it("lead where a simple model says, through every kind of point", async () => {
    await using opened = await open();
    await run(opened.store, WALK);
  });

  it("lead there in any order, and at once", async () => {
    await using opened = await open();
    const property = fc.asyncProperty(randomCommands(), (commands) => run(opened.store, commands));
    await fc.assert(property, { numRuns: name === "memory" ? 80 : 50 });
  });
});
