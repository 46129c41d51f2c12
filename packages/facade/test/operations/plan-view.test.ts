import { expect, test } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import { viewOfPlan } from "../../src/operations/plan-view.ts";
import { CHANGESET, planAt } from "../support/plan-at.ts";

test("a plan on the wire has no owner, token, scopes or worker, and no whole patch", () => {
  const view = viewOfPlan(planAt("execute/complete"));
  for (const name of ["owner", "token_id", "scopes", "worker", "archive"]) {
    expect(view).not.toHaveProperty(name);
  }
  expect(view).toMatchObject({ phase: "execute", status: "complete", terminal: false });
});

/** As large as plans come. */
function largePlan() {
  const change = {
    old_path: null,
    op: "modify" as const,
    insertions: 12,
    deletions: 3,
    binary: false,
    old_mode: "100644",
    new_mode: "100644",
    note: null,
  };
  const changes = Array.from({ length: 5_000 }, (_none, index) => ({
    ...change,
    path: `packages/some/folder/of/the/project/file-${index}.ts`,
  }));
  const steps = Array.from({ length: 200 }, (_none, index) => ({
    content: `Step ${index} changes some files of the project, and runs the tests again.`,
    status: "pending" as const,
  }));
  const conflicts = changes.slice(0, 300).map(({ path }) => ({
    path,
    kind: "content" as const,
    base: "a".repeat(40),
    ours: "b".repeat(40),
    theirs: "c".repeat(40),
  }));
  return planAt("apply/constrained", {
    changeset: { ...CHANGESET, changes },
    strategy: { rationale: "Because.", steps },
    conflicts,
  });
}

test("a very large plan has an answer of less than 64 KiB, and its lists whole for who asks", async () => {
  const plan = largePlan();
  const unused = (): Promise<never> => Promise.reject(new Error("unused"));
  await using facade = new AcpLocalFacade({
    services: {
      plan_lifecycle_service: {
        useAction: unused,
        executePlan: unused,
        getPlan: async () => plan,
        applyPlan: unused,
        listPlans: async () => ({ items: [plan], nextCursor: null }),
      },
    },
  });
  const ask = async (params: object) => {
    const { plan_id: id } = plan;
    const request = { operation: "plan.status", params: { plan_id: id, ...params } };
    return (await facade.dispatch(request)).data;
  };
  const light = await ask({});
  expect(JSON.stringify(light).length).toBeLessThan(64 * 1024);
  expect(light).toMatchObject({
    cut: ["changes", "steps", "conflicts"],
    changeset: { digest: CHANGESET.digest },
  });
  expect(light["changeset"]).toMatchObject({ changes: plan.changeset?.changes.slice(0, 100) });
  const whole = await ask({ include: ["changes", "conflicts"] });
  expect(whole["cut"]).toEqual(["steps"]);
  expect(whole["changeset"]).toEqual(plan.changeset);
  expect(whole["conflicts"]).toEqual(plan.conflicts);
  const { data } = await facade.dispatch({ operation: "plan.list" });
  expect(JSON.stringify(data).length).toBeLessThan(64 * 1024);
});
