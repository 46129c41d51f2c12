import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastRecord, recordsOf } from "../support/run-main.ts";
import { type ServeBench, serveBench } from "../support/serve-bench.ts";

const WORK = {
  phases: {
    strategize: { steps: [{ text: "I change the read-me." }] },
    execute: {
      steps: [
        { toolCalls: [{ tool: "write_file", input: { path: "README.md", content: "# Ours\n" } }] },
        { text: "Written." },
      ],
    },
  },
};
const ID = "01KAFV3W5E9Q2T8M6X4Z7B1C0D";

async function plansOf(bench: ServeBench) {
  const project = await bench.project("shop", { "README.md": "# Shop\n" });
  const server = await bench.serve(["--ephemeral", "--project", project]);
  const variables = { ACUMEN_URL: server.url, ACUMEN_TOKEN: server.token };
  const plan = (...args: readonly string[]) => bench.acumen(["plan", ...args], variables);
  return { project, plan, server };
}

const HEAD = { type: "result", phase: expect.any(String), version: expect.any(Number) };

test("with --json each command of plans writes one record, which tells what it did", async () => {
  await using bench = await serveBench(WORK);
  const { plan } = await plansOf(bench);
  const made = await plan("create", "Change it.", "--wait", "--json");
  const { plan_id: id } = lastRecord(made);
  const at = String(id as string);
  const rows: readonly [readonly string[], object][] = [
    [["status", at], { state: "complete", waiting_for: "plan.execute", pending_approvals: [] }],
    [["execute", at, "--wait"], { phase: "execute", state: "complete" }],
    [["watch", at], { state: "complete", waiting_for: "plan.apply" }],
    [["revert", at, "--reason", "Not so."], { attempt: 2, reversion_count: 1 }],
    [["watch", at], { phase: "strategize", state: "complete" }],
    [["execute", at, "--wait"], { attempt: 2, phase: "execute", state: "complete" }],
    [
      ["apply", at],
      { state: "applied", receipt: expect.objectContaining({ commit: expect.any(String) }) },
    ],
  ];
  expect(recordsOf(made)).toEqual([expect.objectContaining({ ...HEAD, command: "plan create" })]);
  for (const [args, expected] of rows) {
    const outcome = await plan(...args, "--json");
    expect([args, outcome.code, outcome.stderr]).toEqual([args, 0, ""]);
    expect(recordsOf(outcome)).toEqual([
      expect.objectContaining({ ...HEAD, command: `plan ${args[0]}`, plan_id: id, ...expected }),
    ]);
  }
  expect(recordsOf(await plan("diff", at, "--json"))).toMatchObject([
    { type: "result", command: "plan diff", plan_id: id, changes: [{ path: "README.md" }] },
  ]);
  expect(recordsOf(await plan("list", "--limit", "1", "--json"))).toMatchObject([
    { type: "result", command: "plan list", plans: [{ plan_id: id }], next_cursor: null },
  ]);
  const second = lastRecord(await plan("create", "Again.", "--json"))["plan_id"];
  expect(recordsOf(await plan("cancel", String(second as string), "--json"))).toMatchObject([
    { command: "plan cancel", plan_id: second, state: "cancelled", terminal: true },
  ]);
});

test("a plan that cannot be merged ends with 3, and one that failed with 1, until it is tried again", async () => {
  await using bench = await serveBench(WORK);
  const { plan, project, server } = await plansOf(bench);
  const made = await plan("create", "Change it.", "--profile", "auto", "--wait", "--json");
  const id = String(lastRecord(made)["plan_id"] as string);
  await writeFile(join(project, "README.md"), "# Theirs\n");
  bench.git(project, "commit", "-qam", "Ours");
  const applied = await plan("apply", id);
  expect([applied.code, applied.stdout]).toEqual([3, expect.stringContaining("conflict (")]);
  const again = await plan("status", id, "--json");
  expect([again.code, lastRecord(again)]).toEqual([
    3,
    expect.objectContaining({ conflicts: [expect.objectContaining({ path: "README.md" })] }),
  ]);
  await server.stop();

  await writeFile(bench.folder.join("script.json"), JSON.stringify({ steps: [] }));
  const local = [
    "--local",
    "--project",
    project,
    "--model",
    `scripted/${bench.folder.join("script.json")}`,
  ];
  const failed = await plan("create", "Change it.", "--wait", ...local);
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining("acumen plan retry")]);
  const [, failedId = ""] = /plan (\w+)/.exec(failed.stdout) ?? [];
  const executed = await plan("execute", failedId, ...local);
  expect([executed.code, executed.stderr]).toEqual([
    3,
    expect.stringMatching(
      /runs again only with `acumen plan retry`\. Possible: .*`acumen plan retry`/,
    ),
  ]);
  await writeFile(bench.folder.join("script.json"), JSON.stringify(WORK));
  const retried = await plan("retry", failedId, "--wait", "--json", ...local);
  expect([retried.code, lastRecord(retried)]).toEqual([
    0,
    expect.objectContaining({ command: "plan retry", state: "complete", attempt: 2 }),
  ]);
});

test("each failure has its exit code, its line, and with --json its record", async () => {
  await using bench = await serveBench(WORK);
  const { plan, server } = await plansOf(bench);
  const made = await plan("create", "Change it.", "--wait", "--json");
  const id = String(lastRecord(made)["plan_id"] as string);
  const rows: readonly [readonly string[], number, string][] = [
    [["status", ID], 1, "FACADE_NOT_FOUND"],
    [["diff", ID], 1, "FACADE_NOT_FOUND"],
    [["approve", id, "call_1"], 1, "FACADE_NOT_FOUND"],
    [["retry", id], 3, "FACADE_INVALID_STATE"],
    [["revert", id], 3, "FACADE_INVALID_STATE"],
    [["apply", id], 3, "FACADE_INVALID_STATE"],
    [["create"], 2, "CLI_USAGE"],
    [["create", "x", "--arg", "=1"], 2, "CLI_USAGE"],
    [["create", "x", "--arg", "size=1"], 2, "FACADE_VALIDATION_ERROR"],
    [["create", "x", "--session", ID], 1, "FACADE_NOT_FOUND"],
    [["create", "--action", "team/none"], 3, "FACADE_FORBIDDEN"],
  ];
  for (const [args, code, error] of rows) {
    const outcome = await plan(...args, "--json");
    expect([args, outcome.code, outcome.stderr]).toEqual([
      args,
      code,
      expect.stringMatching(new RegExp(`^acumen: ${error}: [^\\n]+\\n$`)),
    ]);
    expect(lastRecord(outcome)).toMatchObject({ type: "result", error: { code: error } });
  }
  const strange = { ACUMEN_URL: server.url, ACUMEN_TOKEN: `acm_${"0".repeat(40)}` };
  const refused = await bench.acumen(["plan", "list"], strange);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("FACADE_AUTH_ERROR")]);
});
