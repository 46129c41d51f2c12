import { expect, it } from "vitest";
import { PLAN_PHASES, PLAN_STATES } from "../../src/plans/plan.ts";
import { PlanBench } from "../support/plan-bench.ts";

it("phase and state are apart, in every answer and event", async () => {
  const bench = new PlanBench();
  const answers = [await bench.create()];
  const id = answers[0]?.plan_id ?? "";
  answers.push(await bench.settled(id), await bench.execute(id), await bench.settled(id));
  answers.push(await bench.apply(id), await bench.settled(id));
  const events = (await bench.events(id)).map(({ data }) => data);
  const places = [...answers, ...events.filter((data) => "phase" in data)];
  expect(places.length).toBeGreaterThan(12);
  for (const { phase, state } of places) {
    expect(PLAN_PHASES).toContain(phase);
    expect(PLAN_STATES).toContain(state);
    expect(`${phase as string}/${state as string}`).not.toMatch(/apply\/complete|execute\/applied/);
  }
});
