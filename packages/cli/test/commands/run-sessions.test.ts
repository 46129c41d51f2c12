import { symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";
import { lastRecord, recordsOf } from "../support/run-main.ts";

const TALK = { steps: [{ text: "One." }], repeatLast: true };

async function sessionOf(bench: AgentBench, flags: readonly string[] = []): Promise<string> {
  return String(lastRecord(await bench.run(["go", "--json", ...flags]))["session_id"]);
}

test("--continue goes on with the newest session of the workspace, --session with the named one", async () => {
  await using bench = await agentBench(TALK);
  const first = await sessionOf(bench);
  const second = await sessionOf(bench);
  expect(first).not.toBe(second);
  expect(await sessionOf(bench, ["--continue"])).toBe(second);
  const outcome = await bench.run(["go", "--json", "--session", first]);
  expect(lastRecord(outcome)["session_id"]).toBe(first);
  expect(recordsOf(outcome)[0]).toMatchObject({ type: "SESSION_RESUMED" });
});

test("a prompt that is refused leaves no session of its own, and one that was there stays", async () => {
  await using bench = await agentBench(TALK);
  await bench.write("work/.env", "KEY=1");
  const first = await sessionOf(bench);
  const refused = await bench.run(["look @.env", "--json"]);
  expect(refused.code).toBe(2);
  expect(lastRecord(refused)).toMatchObject({
    session_id: null,
    error: { code: "AGENT_PROMPT_INVALID" },
  });
  expect(lastRecord(await bench.acumen(["sessions", "list", "--json"]))).toMatchObject({
    sessions: [{ session_id: first }],
  });
  const again = await bench.run(["look @.env", "--json", "--continue"]);
  expect(lastRecord(again)).toMatchObject({ session_id: first, error: expect.anything() });
  expect(await sessionOf(bench, ["--continue"])).toBe(first);
});

test("a stored session keeps its mode and its folder unless a flag says otherwise", async () => {
  await using bench = await agentBench(TALK);
  const id = await sessionOf(bench, ["--mode", "manual"]);
  const variables = { ACUMEN_MODE: "auto", ACUMEN_MODEL: bench.model };
  const kept = await bench.acumen(["run", "go", "--session", id], { variables });
  expect(kept.stderr).toContain("mode manual");
  const said = await bench.acumen(["run", "go", "--session", id, "--mode", "safe"], { variables });
  expect(said.stderr).toContain("mode safe");
  const { code, stderr } = await bench.acumen(["run", "go", "--session", id, "--cwd", bench.home], {
    variables,
  });
  expect(code).toBe(2);
  expect(stderr).toContain(`The session belongs to ${bench.workspace}.`);
});

test("a session whose model replays a file needs that said anew by whoever starts", async () => {
  await using bench = await agentBench(TALK);
  const id = await sessionOf(bench);
  const { code, stderr } = await bench.acumen(["run", "go", "--session", id]);
  expect(code).toBe(2);
  expect(stderr).toContain("flags and the environment");
});

test("a session that does not exist is a failure that says so", async () => {
  await using bench = await agentBench(TALK);
  const none = await bench.run(["go", "--continue"]);
  expect(none.code).toBe(1);
  expect(none.stderr).toContain("AGENT_SESSION_NOT_FOUND");
  const named = await bench.run(["go", "--session", "01KAFV3W5E9Q2T8M6X4Z7B1C0D", "--json"]);
  expect(named.code).toBe(1);
  expect(lastRecord(named)).toMatchObject({ error: { code: "AGENT_SESSION_NOT_FOUND" } });
});

test("a workspace is its real path, whatever link led there", async () => {
  await using bench = await agentBench(TALK);
  const id = await sessionOf(bench);
  await symlink(bench.workspace, bench.folder.join("link"));
  const link = ["--cwd", bench.folder.join("link"), "--continue"];
  expect(await sessionOf(bench, link)).toBe(id);
});

test("@path attaches a file of the workspace", async () => {
  await using bench = await agentBench({
    steps: [{ text: "Read.", expect: { lastUserIncludes: "the notes" } }],
  });
  await bench.write("work/docs/notes.md", "the notes\n");
  expect(await bench.run(["look at @docs/notes.md"])).toMatchObject({ code: 0, stdout: "Read.\n" });
});
