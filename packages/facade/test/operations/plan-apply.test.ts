import { expect, test } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { PlanLifecycleService } from "../../src/services/plan-lifecycle-service.ts";
import { planAt } from "../support/plan-at.ts";

test("a dry run says whether the change would merge", async () => {
  const plan = planAt("execute/complete");
  const conflict = {
    path: "a.txt",
    kind: "content",
    base: null,
    ours: null,
    theirs: null,
  } as const;
  const mergeable = { clean: false, target_head: "head", behind: 2, conflicts: [conflict] };
  const seen: boolean[] = [];
  const service: PlanLifecycleService = {
    useAction: async () => plan,
    executePlan: async () => ({ plan }),
    getPlan: async () => plan,
    applyPlan: async (_id, { dryRun }) => {
      seen.push(dryRun);
      return { plan, ...(dryRun && { mergeable }) };
    },
  };
  const facade = new AcpLocalFacade({ services: { plan_lifecycle_service: service } });
  const apply = async (dry_run: boolean) => {
    const params = { plan_id: plan.plan_id, dry_run };
    return (await facade.dispatch({ operation: "plan.apply", params })).data;
  };
  expect(await apply(true)).toMatchObject({ state: "complete", mergeable });
  expect(await apply(false)).not.toHaveProperty("mergeable");
  expect(seen).toEqual([true, false]);
});
