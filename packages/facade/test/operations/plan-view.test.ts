import { expect, test } from "vitest";
import { viewOfPlan } from "../../src/operations/plan-view.ts";
import { planAt } from "../support/plan-at.ts";

test("a plan on the wire has no owner, token, scopes or worker, and no whole patch", () => {
  const view = viewOfPlan(planAt("execute/complete"));
  for (const name of ["owner", "token_id", "scopes", "worker", "archive"]) {
    expect(view).not.toHaveProperty(name);
  }
  expect(view).toMatchObject({ phase: "execute", status: "complete", terminal: false });
});
