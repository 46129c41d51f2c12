import { tempFolder, type TempFolder } from "@acumen/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aceMcpCommand, samplesOf, serverEnvironment, TOOLS } from "./support/ace-mcp.ts";
import { installPeers, PEERS } from "./support/peers.ts";
import { type Peer, playScenario, type ScenarioResult } from "./support/peer-scenario.ts";
import { runCommand, type RunResult } from "./support/run-command.ts";

let root: TempFolder;

beforeAll(async () => {
  await installPeers();
  root = await tempFolder("acumen-peers");
});
afterAll(() => root.remove());

function server(env: Readonly<Record<string, string>> = {}): {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
} {
  return { ...aceMcpCommand(), env: serverEnvironment({ root: root.path, env }) };
}

function bodyOf(result: ScenarioResult | undefined): Record<string, unknown> {
  return JSON.parse(result?.result?.content[0]?.text ?? "null") as Record<string, unknown>;
}

function skillsOf(result: ScenarioResult | undefined): number {
  return (bodyOf(result)["stats"] as { skills: number }).skills;
}

const CLIENTS: readonly Peer[] = ["v1", "v2 legacy", "v2 auto", "v2 modern"];

describe.each(CLIENTS)("SDK client %s", (peer) => {
  const session = `peer ${peer}`;
  const file = `${peer.replace(" ", "-")}.json`;
  const question = samplesOf(1, 40)[0];

  test("lists six tools, asks, learns with progress, gives feedback, reads, saves and loads", async () => {
    const report = await playScenario(peer, {
      server: server(),
      calls: [
        {
          name: "ace.learn.sample",
          arguments: { session_id: session, samples: samplesOf(20) },
          progress: true,
        },
        { name: "ace.ask", arguments: { session_id: session, ...ask(question) } },
        {
          name: "ace.learn.feedback",
          arguments: {
            session_id: session,
            question: question?.question,
            answer: "billing",
            feedback: "correct",
          },
        },
        { name: "ace.skillbook.get", arguments: { session_id: session, limit: 5 } },
        { name: "ace.skillbook.save", arguments: { session_id: session, path: file } },
        { name: "ace.skillbook.load", arguments: { session_id: `${session} again`, path: file } },
        { name: "ace.ask", arguments: { session_id: `${session} again`, ...ask(question) } },
      ],
    });
    expect(report.tools.map((tool) => tool.name)).toEqual(TOOLS);
    expect(report.capabilities).toHaveProperty("tools");
    expect(report.results.map((result) => result.error ?? result.result?.isError ?? false)).toEqual(
      report.results.map(() => false),
    );
    const [learn, first, feedback, get, save, load, again] = report.results.map(bodyOf);
    expect(learn).toMatchObject({ processed: 20, failed: 0, skill_count_before: 0 });
    expect(first).toMatchObject({ session_id: session, answer: "billing" });
    expect(feedback).toMatchObject({ learned: true });
    expect(get?.["skills"]).toHaveLength(5);
    expect(save).toMatchObject({ path: root.join(file) });
    expect(load).toMatchObject({ skill_count: save?.["saved_skill_count"] });
    expect(again).toMatchObject({ answer: first?.["answer"] });

    // Older hosts read the text, newer ones the structured content: both must say the same.
    for (const result of report.results)
      expect(result.result?.structuredContent).toEqual(bodyOf(result));

    const progress = report.results[0]?.progress.map((note) => note.progress) ?? [];
    expect(progress.length).toBeGreaterThanOrEqual(20);
    expect(progress).toEqual([...new Set(progress)].toSorted((a, b) => a - b));
    expect(report.closeMs).toBeLessThan(2_000);
    if (peer.startsWith("v2")) expect(report.era).toBe(peer === "v2 legacy" ? "legacy" : "modern");
  });

  test("sees a failure as a tool error with code, message and details, an unknown tool as a protocol error", async () => {
    const report = await playScenario(peer, {
      server: server(),
      calls: [
        { name: "ace.ask", arguments: { session_id: "s" } },
        { name: "ace.skillbook.get", arguments: { session_id: "never made" } },
        { name: "ace.skillbook.save", arguments: { session_id: "s", path: "../outside.json" } },
        { name: "ace.nothing", arguments: {} },
      ],
    });
    const [invalid, missing, outside, unknown] = report.results;
    expect(invalid?.result?.isError).toBe(true);
    expect(bodyOf(invalid)).toMatchObject({ code: "ACE_MCP_VALIDATION_ERROR" });
    expect(bodyOf(missing)).toMatchObject({
      code: "ACE_MCP_SESSION_NOT_FOUND",
      details: { session_id: "never made" },
    });
    expect(bodyOf(outside)).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { skillbook_root: root.path },
    });
    // Clients of the v1 line throw on structured content that misses the output schema and hide the message.
    for (const result of [invalid, missing, outside])
      expect(result?.result).not.toHaveProperty("structuredContent");
    expect(unknown?.error?.code).toBe(-32602);
  });

  test("may cancel a call: its learning stops, what had finished stays, the next call is answered", async () => {
    // Each sample becomes a skill; all of them take a second or more.
    const total = 400;
    const get = { name: "ace.skillbook.get", arguments: { session_id: session, limit: 1 } };
    const report = await playScenario(peer, {
      server: server({ ACE_MCP_MAX_SAMPLES_PER_CALL: String(total) }),
      calls: [
        {
          name: "ace.learn.sample",
          arguments: { session_id: session, samples: samplesOf(total) },
          progress: true,
          abortAfterNotes: 1,
        },
        get,
        // Time in which abandoned work would go on.
        {
          name: "ace.learn.sample",
          arguments: { session_id: `${session} other`, samples: samplesOf(50) },
        },
        get,
        { name: "ace.ask", arguments: { session_id: session, ...ask(question) } },
      ],
    });
    const [aborted, before, other, after, next] = report.results;
    expect(aborted?.result).toBeUndefined();
    expect(aborted?.error?.message).toContain("the scenario aborts");
    const skills = skillsOf(before);
    expect(skills).toBeGreaterThanOrEqual(1);
    expect(skills).toBeLessThan(total);
    expect(bodyOf(other)).toMatchObject({ processed: 50 });
    expect(skillsOf(after)).toBe(skills);
    expect(bodyOf(next)).toHaveProperty("answer");
  });

  test("finds the underscore spelling when the server publishes it, and may call either", async () => {
    const report = await playScenario(peer, {
      server: server({ ACE_MCP_TOOL_NAMES: "underscore" }),
      parallel: true,
      calls: ["ace_ask", "ace.ask"].map((name) => ({
        name,
        arguments: { session_id: session, ...ask(question) },
      })),
    });
    expect(report.tools.map((tool) => tool.name)).toEqual(
      TOOLS.map((name) => name.replaceAll(".", "_")),
    );
    expect(report.results.map((result) => bodyOf(result)["session_id"])).toEqual([
      session,
      session,
    ]);
  });
});

function ask(sample: { question: string; context: string } | undefined): {
  question: string;
  context: string;
} {
  return { question: sample?.question ?? "", context: sample?.context ?? "" };
}

describe("Inspector command line 2.12", () => {
  const environment = serverEnvironment();

  function inspector(...args: readonly string[]): Promise<RunResult> {
    const settings = Object.entries({ ...environment, ACE_MCP_SKILLBOOK_ROOT: root.path }).flatMap(
      ([name, value]) => ["-e", `${name}=${value}`],
    );
    const { command, args: target } = aceMcpCommand();
    const bin = `${PEERS}/node_modules/.bin/mcp-inspector`;
    return runCommand(
      process.execPath,
      [bin, "--cli", ...settings, command, ...target, ...args, "--format", "json"],
      // The Inspector keeps a catalogue in the home folder.
      { cwd: root.path, env: { HOME: root.path }, timeoutMs: 60_000 },
    );
  }

  test.each(["legacy", "auto", "modern"])("initialises in the %s era", async (era) => {
    const run = await inspector("--method", "initialize", "--protocol-era", era);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toContain("ace-mcp");
  });

  test("tools/list --strict finds no schema that a host could refuse", async () => {
    const run = await inspector("--method", "tools/list", "--strict");
    expect(run.code, run.stderr).toBe(0);
    const { result } = JSON.parse(run.stdout) as { result: { tools: { name: string }[] } };
    expect(result.tools.map((tool) => tool.name)).toEqual(TOOLS);
  });

  test("tools/call ends with 0, with 5 for an error result and for an unknown tool", async () => {
    const call = (tool: string, args: unknown): Promise<RunResult> =>
      inspector(
        "--method",
        "tools/call",
        "--tool-name",
        tool,
        "--tool-args-json",
        JSON.stringify(args),
      );
    const good = await call("ace.ask", { session_id: "s1", question: "hi" });
    expect(good.code, good.stderr).toBe(0);
    expect(good.stdout).toContain("skill_count");
    const bad = await call("ace.skillbook.get", { session_id: "nobody" });
    expect(bad.code).toBe(5);
    expect(bad.stdout).toContain("ACE_MCP_SESSION_NOT_FOUND");
    expect((await call("ace.none", {})).code).toBe(5);
  });

  test("load mode: ten callers at a time, no call fails", async () => {
    for (const [tool, args] of [
      ["ace.ask", { session_id: "load", question: "Which team gets an invoice ticket?" }],
      ["ace.learn.sample", { session_id: "load", samples: samplesOf(3) }],
    ] as const) {
      const run = await inspector(
        "--method",
        "tools/call",
        "--tool-name",
        tool,
        "--tool-args-json",
        JSON.stringify(args),
        "--load",
        "--load-requests",
        "200",
        "--load-concurrency",
        "10",
      );
      expect(run.code, run.stderr).toBe(0);
      const { result } = JSON.parse(run.stdout) as { result: Record<string, unknown> };
      expect(result).toMatchObject({ requests: 200, ok: 200, toolErrors: 0, errors: 0 });
    }
  });
});

describe("Inspector command line 1.0", () => {
  // This version looks for its package.json relative to the working folder, hence the folder below.
  const folder = `${PEERS}/node_modules/inspector-cli-v1/build`;

  function inspector(...args: readonly string[]): Promise<RunResult> {
    const { command, args: target } = aceMcpCommand();
    return runCommand(process.execPath, ["index.js", command, ...target, ...args], {
      cwd: folder,
      env: serverEnvironment(),
      timeoutMs: 60_000,
    });
  }

  test("lists and calls, as a host of the old kind does", async () => {
    const list = await inspector("--method", "tools/list");
    expect(list.code, list.stderr).toBe(0);
    expect(list.stdout).toContain('"ace.skillbook.load"');
    const call = await inspector(
      "--method",
      "tools/call",
      "--tool-name",
      "ace.ask",
      "--tool-arg",
      "session_id=old",
      "question=hello",
    );
    expect(call.code, call.stderr).toBe(0);
    expect(call.stdout).toContain("skill_count");
  });
});
