import { expect, test } from "vitest";
import {
  plansFailures,
  type AppliedPlan,
  type ConstrainedPlan,
  type PlansResult,
} from "../../../src/tour/plans/plans-result.ts";
import { exampleResult } from "../example-result.ts";

function example(): PlansResult {
  const { plans } = exampleResult();
  if ("leftOut" in plans) throw new Error("the example has the act");
  return plans;
}

test("an act that went well has no failures, nor has one that was left out", () => {
  expect(plansFailures(example())).toEqual([]);
  expect(plansFailures({ leftOut: "no git" })).toEqual([]);
});

test.each<[string, Partial<AppliedPlan>, Partial<ConstrainedPlan>]>([
  ["the plan went strategize/complete", { states: ["strategize/complete"] }, {}],
  ["0 of 24 events came after", { afterReconnect: 0 }, {}],
  ["lost, doubled or out of order", { unbroken: false }, {}],
  ["changed before the plan was applied", { untouchedBefore: false }, {}],
  ["the diff showed a.txt", { changedFiles: ["a.txt"] }, {}],
  ["does not contain the change", { merged: false }, {}],
  ["the second plan ended apply/applied", {}, { state: "apply/applied" }],
  ["the conflicts were in b.txt", {}, { conflicts: ["b.txt"] }],
  ["the conflict changed the repository", {}, { untouched: false }],
])("%s", (text, applied, constrained) => {
  const good = example();
  const bad = {
    ...good,
    applied: { ...good.applied, ...applied },
    constrained: { ...good.constrained, ...constrained },
  };
  expect(plansFailures(bad)).toEqual([expect.stringContaining(text)]);
});

test("a server that did not end by the signal is a failure", () => {
  expect(plansFailures({ ...example(), exitCode: null })).toEqual(["the server ended with null"]);
});
