import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { questions, testRoles } from "../runner/test-roles.ts";

test("weak point 17: a reflection that ran out of budget teaches nothing, and nobody is asked to curate it", async () => {
  const roles = testRoles({ reflect: () => undefined });
  const ace = Ace.fromRoles(roles);
  const report = await ace.learn(questions("q"));
  expect(report).toMatchObject({ processed: 1, failed: 0, newSkillCount: 0 });
  expect(roles.calls.skillManager).toEqual([]);
  expect(ace.skillbook.revision).toBe(0);
});

test("weak point 17: a reflection that failed is a failed sample, not a lesson about the failure", async () => {
  const roles = testRoles({
    reflect: () => {
      throw new Error("request limit reached");
    },
  });
  const ace = Ace.fromRoles(roles);
  const report = await ace.learn(questions("q"));
  expect(report).toMatchObject({ processed: 0, failed: 1 });
  expect(ace.skillbook.size).toBe(0);
});
