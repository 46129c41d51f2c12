import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NO_USAGE } from "@acumen/models";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import type { PlanExecutor } from "../../src/plans/plan-executor.ts";
import { gitProject } from "../support/git-project.ts";

const NAMES = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"];

/** Another text with each attempt. */
const writer: PlanExecutor = {
  strategize: async () => ({ rationale: "Write.", steps: [], usage: NO_USAGE }),
  execute: async ({ plan, sandbox }) => {
    for (const name of NAMES) {
      // As a patch would say it: it must not look like the head of the next file.
      await writeFile(join(sandbox.path, name), `diff --git a/x b/x\n${plan.attempt}\n`);
    }
    return { summary: "Written.", usage: NO_USAGE };
  },
};

interface Diff {
  readonly changes: readonly { readonly path: string }[];
  readonly patch?: string;
  readonly next_cursor: string | null;
  readonly truncated: boolean;
  readonly changeset_digest: string;
  readonly stats: { readonly files: number };
}

function filesOf(patch = ""): readonly string[] {
  return [...patch.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, name = ""]) => name);
}

test("a diff comes in pages, live and archived, and a cursor is of one change", async () => {
  await using project = await gitProject();
  await using home = await tempFolder("acumen-facade-home");
  await using facade = new AcpLocalFacade({
    services: { plan_executor: writer },
    projects: [project.path],
    home: home.path,
  });
  const ask = async (operation: string, params: JsonObject): Promise<JsonObject> => {
    const { data, error } = await facade.dispatch({ operation, params });
    expect(error, operation).toBeNull();
    return data;
  };
  const task = { action_name: "builtin/task", arguments: { prompt: "x" } };
  const { plan_id: id = "" } = await ask("plan.create", task);
  const diff = async (params: JsonObject): Promise<Diff> =>
    (await ask("plan.diff", { plan_id: id, ...params })) as unknown as Diff;
  const inPages = async (params: JsonObject): Promise<Diff[]> => {
    const pages: Diff[] = [];
    let cursor: string | null = null;
    do {
      const page: Diff = await diff({ limit: 2, ...params, ...(cursor !== null && { cursor }) });
      pages.push(page);
      cursor = page.next_cursor;
    } while (cursor !== null && pages.length < 9);
    return pages;
  };
  const check = async (): Promise<void> => {
    const pages = await inPages({});
    const paths = pages.map(({ changes }) => changes.map(({ path }) => path));
    expect(paths).toEqual([["a.txt", "b.txt"], ["c.txt", "d.txt"], ["e.txt"]]);
    expect(pages.map(({ patch }) => filesOf(patch))).toEqual(paths);
    expect(pages.map(({ truncated }) => truncated)).toEqual([true, true, false]);
    expect(new Set(pages.map(({ stats }) => stats.files))).toEqual(new Set([5]));
    const some = await inPages({ paths: ["b.txt", "d.txt", "e.txt"] });
    expect(some.map(({ patch }) => filesOf(patch))).toEqual([["b.txt", "d.txt"], ["e.txt"]]);
    const [first] = await inPages({ format: "summary" });
    expect(first).not.toHaveProperty("patch");
    const whole = await diff({});
    expect(whole).toMatchObject({ next_cursor: null, truncated: false });
    // What was asked for, as it was when the plan was made.
    expect(whole).toMatchObject({ action: { name: "builtin/task", prompt: "x" } });
    expect(filesOf(whole.patch)).toEqual(NAMES);
  };

  await ask("plan.execute", { plan_id: id, wait: true });
  await check();
  const { next_cursor: old } = await diff({ limit: 2 });
  // Another attempt is another change.
  await ask("plan.revert", { plan_id: id });
  await ask("plan.execute", { plan_id: id, wait: true });
  const stale = { plan_id: id, limit: 2, cursor: old };
  const refused = await facade.dispatch({ operation: "plan.diff", params: stale });
  expect(refused.error).toMatchObject({
    code: "CONFLICT",
    details: { changeset_digest: (await diff({})).changeset_digest },
  });
  await ask("plan.apply", { plan_id: id });
  await check();
});
