import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { sourceCommand, startProcess } from "@acumen/testkit";
import { expect, test } from "vitest";
import {
  dispatch,
  type RunningServer,
  type ServeBench,
  serveBench,
} from "../support/serve-bench.ts";

const NOTE = {
  phases: {
    strategize: { steps: [{ text: "I write a note." }] },
    execute: {
      steps: [
        { toolCalls: [{ tool: "write_file", input: { path: "NOTE.md", content: "hello\n" } }] },
        { text: "Written." },
      ],
    },
  },
};
const TASK = { action_name: "builtin/task", arguments: { prompt: "Write a note." } };
const BIN = new URL("../../src/bin.ts", import.meta.url);

type Address = Pick<RunningServer, "url" | "token">;

/** A plan whose work is done and not applied. @returns its id */
async function finishedPlan(server: Address): Promise<string> {
  const made = await dispatch(server, "plan.create", { ...TASK, profile: "auto" });
  expect(made.error).toBeNull();
  const id = String(made.data["plan_id"] as string);
  for (;;) {
    const { data } = await dispatch(server, "plan.status", { plan_id: id });
    expect(data["error"]).toBeNull();
    if (data["phase"] === "execute" && data["state"] === "complete") return id;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function expectWhole(server: Address, project: string, id: string): Promise<void> {
  const diff = await dispatch(server, "plan.diff", { plan_id: id });
  expect([diff.error, diff.data["patch"]]).toEqual([null, expect.stringContaining("+hello")]);
  expect(pinsOf(project)).toContain(`refs/acumen/${id}/base-`);
  const applied = await dispatch(server, "plan.apply", { plan_id: id, wait: true });
  expect([applied.error, applied.data["state"]]).toEqual([null, "applied"]);
}

function pinsOf(project: string): string {
  return execFileSync("git", ["for-each-ref", "refs/acumen"], { cwd: project, encoding: "utf8" });
}

async function filesIn(bench: ServeBench): Promise<readonly string[]> {
  const found = await readdir(bench.folder.join("home"), { recursive: true, withFileTypes: true });
  return found.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}

test.each([
  ["a database", "another in memory", [], ["--ephemeral"]],
  ["memory", "one with a database", ["--ephemeral"], []],
  ["memory", "another in memory", ["--ephemeral"], ["--ephemeral"]],
])("a plan of a server with %s outlives the start and the end of %s", async (_a, _b, one, two) => {
  await using bench = await serveBench(NOTE);
  const project = await bench.project("shop", { "README.md": "# Shop\n" });
  const first = await bench.serve(["--project", project, ...one]);
  const id = await finishedPlan(first);
  const second = await bench.serve(["--project", project, ...two]);
  const other = await finishedPlan(second);
  await second.stop();
  if (two.length > 0) expect(pinsOf(project)).not.toContain(other);
  await expectWhole(first, project, id);
});

test("nothing is left of a server in memory: no file, no session of an agent, no pin", async () => {
  await using bench = await serveBench(NOTE);
  const project = await bench.project("shop", { "README.md": "# Shop\n" });
  const server = await bench.serve(["--project", project, "--ephemeral"]);
  await finishedPlan(server);
  expect(pinsOf(project)).not.toBe("");
  expect(await filesIn(bench)).toContain("events.jsonl");
  await server.stop();
  expect(pinsOf(project)).toBe("");
  expect(await filesIn(bench)).toEqual([]);
  expect(await readdir(bench.folder.join("home/ephemeral"))).toEqual([]);
});

test.each([["in memory", ["--ephemeral"]] as const, ["with a database", []] as const])(
  "what a killed one left is removed by the next start %s, and nothing of one that lives",
  async (_name, args) => {
    await using bench = await serveBench(NOTE);
    const project = await bench.project("shop", { "README.md": "# Shop\n" });
    const model = `scripted/${bench.folder.join("script.json")}`;
    const line = ["serve", "--port", "0", "--model", model, "--project", project, "--ephemeral"];
    await using killed = startProcess(sourceCommand(BIN, line), {
      env: { ACUMEN_HOME: bench.folder.join("home") },
    });
    await killed.waitFor("stderr", "session.create");
    const [, url = ""] = / at (\S+)/.exec(killed.stderr()) ?? [];
    const [, token = ""] = /ACUMEN_TOKEN=(acm_\w+)/.exec(killed.stderr()) ?? [];
    const left = await finishedPlan({ url, token });
    const living = await bench.serve(["--project", project, "--ephemeral"]);
    const id = await finishedPlan(living);
    killed.kill("SIGKILL");
    await killed.exited;
    expect(pinsOf(project)).toContain(left);

    await bench.serve(["--project", project, ...args]);
    expect(pinsOf(project)).not.toContain(left);
    const places = await readdir(bench.folder.join("home/ephemeral"));
    expect(places.filter((name) => name.startsWith(`${killed.pid}-`))).toEqual([]);
    expect(places).toContainEqual(expect.stringMatching(`^${process.pid}-`));
    await expectWhole(living, project, id);
  },
);
