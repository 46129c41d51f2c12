import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { expect, it } from "vitest";
import { isSettled } from "../../src/plans/waiting.ts";
import { openEngine } from "../plans/real-engine.ts";
import { gitProject } from "../support/git-project.ts";
import { callerOf } from "../support/plan-bench.ts";

it("a conflict leaves a real repository as it was, and the plan constrained with its paths", async () => {
  await using folder = await tempFolder();
  await using repository = await gitProject();
  const project = {
    path: repository.path,
    name: "local/shop",
    kind: "git-checkout",
    trusted: true,
  } as const;
  const engine = await openEngine({ home: folder.join("home"), project, passed: () => undefined });
  try {
    const { plans } = engine;
    const input = { action_name: "builtin/task", arguments: { prompt: "x" } };
    const { plan_id: id } = await plans.useAction(input, callerOf());
    await plans.executePlan(id, { retry: false, waitMs: 30_000 }, callerOf());
    repository.write("new.txt", "of the user\n");
    repository.git("add", "-A");
    repository.git("commit", "-q", "-m", "User");
    const before = [repository.git("rev-parse", "HEAD"), repository.git("status", "--porcelain")];
    const request = { expected_digest: null, expected_target_head: null, message: null };
    const options = { ...request, waitMs: 30_000, dryRun: false };
    const { plan } = await plans.applyPlan(id, options, callerOf());
    expect(isSettled(plan)).toBe(true);
    expect(plan).toMatchObject({
      phase: "apply",
      state: "constrained",
      conflicts: [{ path: "new.txt" }],
    });
    expect([repository.git("rev-parse", "HEAD"), repository.git("status", "--porcelain")]).toEqual(
      before,
    );
    expect(readFileSync(join(repository.path, "new.txt"), "utf8")).toBe("of the user\n");
    expect(repository.git("ls-files", "--unmerged")).toBe("");
    await plans.cancelPlan(id, callerOf());
    expect(repository.git("for-each-ref", "refs/acumen")).toBe("");
  } finally {
    await engine.close();
  }
});
