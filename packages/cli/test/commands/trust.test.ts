import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { expect, test } from "vitest";
import { agentBench } from "../support/agent-bench.ts";
import { lastRecord } from "../support/run-main.ts";

test("a workspace is trusted as it is, listed, changed, trusted anew and revoked", async () => {
  await using bench = await agentBench({ steps: [] });
  const { workspace: path } = bench;
  const config = await bench.write("work/.acumen/config.json", '{"limits":{"maxSteps":5}}\n');
  const trusted = await bench.acumen(["trust", path, "--json"]);
  expect(trusted.code).toBe(0);
  expect(lastRecord(trusted)).toEqual({
    type: "result",
    command: "trust",
    path,
    state: "trusted",
    trusted_at: expect.any(String),
    previous: "untrusted",
  });
  const states = async (): Promise<unknown> =>
    lastRecord(await bench.acumen(["trust", "--list", "--json"]))["workspaces"];
  expect(await states()).toMatchObject([{ path, state: "trusted" }]);
  await writeFile(config, '{"limits":{"maxSteps":6}}\n');
  expect(await states()).toMatchObject([{ path, state: "changed" }]);
  const anew = await bench.acumen(["trust", path]);
  expect(anew.stdout).toContain("changed .acumen/config.json");
  expect(anew.stdout).toContain('-{"limits":{"maxSteps":5}}');
  expect(anew.stdout).toContain('+{"limits":{"maxSteps":6}}');
  expect(await states()).toMatchObject([{ path, state: "trusted" }]);
  const revoked = await bench.acumen(["trust", path, "--revoke", "--json"]);
  expect(lastRecord(revoked)).toMatchObject({ state: "untrusted", revoked: true });
  expect(await states()).toEqual([]);
  const again = await bench.acumen(["trust", path, "--revoke"]);
  expect(again.stdout).toBe(`${path} was not trusted.\n`);
  expect((await bench.acumen(["trust", "--list"])).stdout).toBe("No workspace is trusted.\n");
});

test.each([
  ["the root", "/"],
  ["the home folder", homedir()],
])("%s can't be trusted", async (_case, path) => {
  await using bench = await agentBench({ steps: [] });
  const { code, stderr } = await bench.acumen(["trust", path]);
  expect(code).toBe(2);
  expect(stderr).toContain("AGENT_WORKSPACE_UNTRUSTABLE");
});

test("a folder that does not exist, and two wishes at once, are usage errors", async () => {
  await using bench = await agentBench({ steps: [] });
  expect((await bench.acumen(["trust", "/nowhere"])).code).toBe(2);
  expect((await bench.acumen(["trust", "--list", "--revoke"])).code).toBe(2);
});

test.each([
  ["trust"],
  ["trust --list"],
  ["skillbook review"],
  ["skillbook review --accept all"],
  ["setup"],
])("a child of the agent cannot call `acumen %s`", async (line) => {
  await using bench = await agentBench({ steps: [] });
  const variables = { ACUMEN_AGENT: "1" };
  const outcome = await bench.acumen([...line.split(" "), "--json"], { variables });
  expect(outcome.code).toBe(2);
  expect(lastRecord(outcome)).toMatchObject({ error: { code: "CLI_REFUSED_TO_AGENT" } });
  expect(outcome.stderr).toContain(`\`acumen ${line.split(" --")[0]}\` is not for the agent`);
});

test("a command that the agent runs is a child of the agent", async () => {
  await using bench = await agentBench({
    steps: [
      { toolCalls: [{ tool: "bash", input: { command: "echo $ACUMEN_AGENT > agent.txt" } }] },
      { text: "Done." },
    ],
  });
  await bench.run(["go", "--mode", "auto", "--trust-once"]);
  expect(await readFile(`${bench.workspace}/agent.txt`, "utf8")).toBe("1\n");
});
