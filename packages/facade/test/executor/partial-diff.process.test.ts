import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { pointOf } from "../../src/plans/transitions.ts";
import { AgentWorld } from "../support/agent-world.ts";

const HALF = expect.objectContaining({ path: "half.txt", op: "add" });

test("the diff of an attempt that runs, and of one that failed, is what stands there; its cursor ends with it", async () => {
  const command =
    "echo half > half.txt; echo more > more.txt; until [ -e go ]; do sleep 0.05; done; rm go";
  await using world = await AgentWorld.open({
    files: { "README.md": "# Shop\n" },
    isolation: "none",
    allowUnisolated: true,
    steps: [
      { toolCalls: [{ tool: "bash", input: { command } }] },
      { error: { kind: "bad_request", message: "No answer." } },
    ],
  });
  const id = await world.begin({ profile: "auto" });
  const page = (params: object = {}) =>
    world.ask("plan.diff", { plan_id: id, limit: 1, ...params });
  const running = await vi.waitFor(
    async () => {
      const answer = await page();
      expect(answer["stats"]).toMatchObject({ files: 2 });
      return answer;
    },
    { timeout: 30_000, interval: 50 },
  );
  expect(running).toMatchObject({ state: "processing", partial: true, mergeable: null });
  expect(running).toMatchObject({ changes: [HALF], patch: expect.stringContaining("+half") });
  const cursor = running["next_cursor"];
  expect(await page({ cursor })).toMatchObject({
    changes: [{ path: "more.txt" }],
    next_cursor: null,
  });
  const { sandbox } = await world.plan(id);
  await writeFile(join(sandbox?.path ?? "", "go"), "");
  expect(pointOf(await world.until(id))).toBe("execute/errored");
  const failed = await page({ limit: 200 });
  expect(failed).toMatchObject({ partial: true, mergeable: null, truncated: false });
  expect(failed["changes"]).toEqual([HALF, expect.objectContaining({ path: "more.txt" })]);
  expect(failed["patch"]).toContain("+half");
  await writeFile(join(sandbox?.path ?? "", "more.txt"), "other\n");
  await expect(page({ cursor })).rejects.toThrow(/^CONFLICT/);
});
