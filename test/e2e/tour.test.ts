import { readdir, readFile } from "node:fs/promises";
import { startProcess, tempFolder, type TestProcess } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { acumenCommand, untilNoneIn } from "./support/agent-cli.ts";

interface Summary {
  readonly passed: boolean;
  readonly failures: readonly string[];
  readonly seconds: number;
  readonly accuracy: Readonly<Record<string, number>>;
  readonly gain_points: Readonly<Record<string, number>>;
  readonly skills: { readonly saved: number; readonly loaded: number; readonly unchanged: number };
  readonly answers: { readonly compared: number; readonly identical: number };
  readonly servers: readonly { readonly pid: number; readonly protocol: string }[];
  readonly coding_agent: Readonly<Record<string, unknown>>;
  readonly mcp_servers: Readonly<Record<string, unknown>>;
  readonly editor: { readonly pids: readonly number[] };
  readonly plans: { readonly pid: number };
}

/** The tour with a TMPDIR of its own, so that what it leaves behind can be seen. */
function startTour(folder: string, args: readonly string[] = []): TestProcess {
  return startProcess(acumenCommand(["tour", ...args]), { env: { TMPDIR: folder } });
}

/** Loaders may keep a cache there; the tour's own folder must be gone. */
async function leftovers(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith("acumen-tour-"));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The process that the report names. */
function serverPid(report: string): number {
  const pid = Number(/process (\d+)/.exec(report)?.[1]);
  expect(pid).toBeGreaterThan(0);
  return pid;
}

describe("acumen tour", () => {
  test("learns, restarts, loses nothing, and says so to people and machines", async () => {
    await using folder = await tempFolder();
    await using tour = startTour(folder.path, ["--json"]);
    const { code } = await tour.exited;
    expect(code, tour.stderr()).toBe(0);

    const lines = tour.stdout().split("\n");
    expect(lines).toHaveLength(2);
    const summary = JSON.parse(lines[0] ?? "") as Summary;
    expect(summary.failures).toEqual([]);
    expect(summary.passed).toBe(true);
    expect(summary.seconds).toBeLessThan(60);
    const { before, after, majority_class, shuffled_labels, after_restart } = summary.accuracy;
    expect(before).toBe(0);
    expect(after_restart).toBe(after);
    const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
    for (const [name, share] of [
      ["after learning", after],
      ["control: the majority class", majority_class],
      ["control: shuffled labels", shuffled_labels],
    ] as const) {
      const shown = readme.split("\n").find((line) => line.startsWith(`  ${name} `));
      expect(shown, name).toContain(` ${((share ?? Number.NaN) * 100).toFixed(1)} %`);
    }
    expect(summary.gain_points["over_majority_class"]).toBeGreaterThanOrEqual(40);
    // Chance is one in seven; the control may not come near what was learned.
    expect(majority_class).toBeLessThan(0.2);
    expect(shuffled_labels).toBeLessThan(0.3);
    expect(summary.skills.saved).toBeGreaterThan(0);
    expect(summary.skills).toEqual({
      saved: summary.skills.saved,
      loaded: summary.skills.saved,
      unchanged: summary.skills.saved,
    });
    expect(summary.answers.identical).toBe(summary.answers.compared);

    const [first, second] = summary.servers;
    expect([first?.protocol, second?.protocol]).toEqual(["2025-11-25", "2026-07-28"]);
    expect(first?.pid).not.toBe(second?.pid);
    for (const server of summary.servers) expect(isAlive(server.pid)).toBe(false);

    expect(summary.coding_agent).toMatchObject({
      tests: {
        before: { exit_code: 1, passed: 1, failed: 1 },
        after: { exit_code: 0, passed: 2, failed: 0 },
      },
      changed_files: ["prices.mjs"],
      session: { stop_reason: "end_turn", gap_free: true, approved: 2, approved_changes: 1 },
      skills: { proposed: 1, accepted: ["cases-00001"], absent_before_review: true },
      next_session: { exit_code: 0, applied: ["cases-00001"], cited: ["cases-00001"] },
    });
    expect(summary.mcp_servers).toMatchObject({
      added: "connected",
      states: ["connected", "paused", "connected"],
      calls: { own: 2, server: 3 },
      refused: 1,
    });
    expect(summary.editor).toMatchObject({
      exit_codes: [0, 0],
      stop_reasons: ["end_turn", "cancelled"],
      permissions: { asked: 1, with_diff: 1 },
      mended: true,
      listed: true,
      prompts: 2,
      replayed_prompts: 2,
      replayed_calls: 1,
    });
    expect(summary.plans).toMatchObject({
      exit_code: 143,
      states: ["strategize/complete", "execute/complete", "apply/applied"],
      events_unbroken: true,
      untouched_before_apply: true,
      changed_files: ["lockers.mjs"],
      merged: true,
      second: { state: "apply/constrained", conflicts: ["lockers.mjs"], untouched: true },
    });
    for (const pid of [...summary.editor.pids, summary.plans.pid]) {
      expect(isAlive(pid)).toBe(false);
    }

    const report = tour.stderr();
    for (const text of [
      "Act one: ",
      "Act two: ",
      "APPROVAL_DECIDED    allow_once, by user",
      "+  const each = people >= 10 ? 9.5 : 12;",
      "| not ok 2 - ten people",
      "After: 2 pass, 0 fail",
      "SKILLS_APPLIED      cases-00001",
      "Act three: ",
      "MCP_STATUS          skills: paused",
      "Resumed: skills connected, 6 tools.",
      "Act four: ",
      "+  return hours >= 5 ? 0 : 2;",
      "The prompt is answered: cancelled.",
      "Act five: ",
      "The connection is cut after event ",
      "plan.applied         apply applied",
    ]) {
      expect(report).toContain(text);
    }
    for (const line of report.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(report).toMatch(/^(?:[^\p{Cc}]|\n)*$/u);
    expect(report).toMatch(/learning from samples: 0\/\d+/);
    expect(report).toMatch(/helpful \d+, harmful \d+, neutral \d+/);
    expect(report).toMatch(/evidence: /);
    expect(report).toMatch(/Passed in /);
    expect(await leftovers(folder.path)).toEqual([]);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("ended by %s ends its server, cleans up and exits %d", async (signal, exitCode) => {
    await using folder = await tempFolder();
    await using tour = startTour(folder.path);
    await tour.waitFor("stdout", "learning from samples", 60_000);
    const pid = serverPid(tour.stdout());
    expect(isAlive(pid)).toBe(true);
    tour.kill(signal);
    expect(await tour.exited).toEqual({ code: exitCode, signal: null });
    expect(tour.stderr()).toBe(`acumen: CLI_INTERRUPTED: Ended by ${signal}.\n`);
    expect(isAlive(pid)).toBe(false);
    expect(await leftovers(folder.path)).toEqual([]);
  });

  test("ended in its second act leaves no process and no folder", async () => {
    await using folder = await tempFolder();
    await using tour = startTour(folder.path);
    await tour.waitFor("stdout", "TOOL_CALL", 90_000);
    const [root = ""] = await leftovers(folder.path);
    tour.kill("SIGINT");
    expect((await tour.exited).code).toBe(130);
    expect(tour.stderr()).toBe("acumen: CLI_INTERRUPTED: Ended by SIGINT.\n");
    await untilNoneIn(folder.join(root, "repository"), 3_000);
    expect(await leftovers(folder.path)).toEqual([]);
  });

  test("ended in its last act leaves no server and no folder", async () => {
    await using folder = await tempFolder();
    await using tour = startTour(folder.path);
    await tour.waitFor("stdout", "plan.created", 120_000);
    const [, pid] = /Process (\d+)\s+serves/.exec(tour.stdout()) ?? [];
    expect(isAlive(Number(pid))).toBe(true);
    tour.kill("SIGTERM");
    expect((await tour.exited).code).toBe(143);
    expect(tour.stderr()).toBe("acumen: CLI_INTERRUPTED: Ended by SIGTERM.\n");
    expect(isAlive(Number(pid))).toBe(false);
    expect(await leftovers(folder.path)).toEqual([]);
  });

  test("whose reader goes away ends its server and cleans up without a word", async () => {
    await using folder = await tempFolder();
    await using tour = startTour(folder.path);
    await tour.waitFor("stdout", "learning from samples", 60_000);
    const pid = serverPid(tour.stdout());
    tour.child.stdout.destroy();
    expect((await tour.exited).code).toBe(141);
    expect(tour.stderr()).toBe("");
    expect(isAlive(pid)).toBe(false);
    expect(await leftovers(folder.path)).toEqual([]);
  });

  test("whose server is killed fails with one line and exit 1", async () => {
    await using folder = await tempFolder();
    await using tour = startTour(folder.path, ["--json"]);
    await tour.waitFor("stderr", "learning from samples", 60_000);
    process.kill(serverPid(tour.stderr()), "SIGKILL");
    expect((await tour.exited).code).toBe(1);
    expect(tour.stderr()).toMatch(/\nacumen: CLI_SERVER_FAILED: [^\n]+\n$/);
    expect(JSON.parse(tour.stdout())).toMatchObject({
      type: "result",
      error: { code: "CLI_SERVER_FAILED" },
    });
    expect(await leftovers(folder.path)).toEqual([]);
  });
});
