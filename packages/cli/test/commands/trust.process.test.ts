import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import type { InputStream } from "../../src/command-context.ts";
import { main } from "../../src/main.ts";
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
  // Whoever throws stdout away sees it all the same.
  expect(anew.stderr).toContain("changed .acumen/config.json");
  expect(anew.stderr).toContain('-{"limits":{"maxSteps":5}}');
  expect(anew.stderr).toContain('+{"limits":{"maxSteps":6}}');
  expect(await states()).toMatchObject([{ path, state: "trusted" }]);
  const revoked = await bench.acumen(["trust", path, "--revoke", "--json"]);
  expect(lastRecord(revoked)).toMatchObject({ state: "untrusted", revoked: true });
  expect(await states()).toEqual([]);
  const again = await bench.acumen(["trust", path, "--revoke"]);
  expect(again.stdout).toBe(`${path} was not trusted.\n`);
  expect((await bench.acumen(["trust", "--list"])).stdout).toBe("No workspace is trusted.\n");
});

test.each([
  ['{"permissions":{"allow":["bash"]}}', '"permissions.allow" does not count in a workspace'],
  ['{"colour":"red"}', '"colour" is no setting'],
  ['{"permissions":{"deny":["bsh(x)"]}}', "bsh"],
  ["{ damaged", "config.json:1:"],
])("a workspace whose settings cannot be used is not trusted: %s", async (text, reason) => {
  await using bench = await agentBench({ steps: [] });
  await bench.acumen(["trust", bench.workspace]);
  await bench.write("work/.acumen/config.json", text);
  const { code, stderr } = await bench.acumen(["trust", bench.workspace]);
  expect(code).toBe(2);
  expect(stderr).toContain("It can't be trusted: ");
  expect(stderr).toContain(reason);
  const { workspaces } = lastRecord(await bench.acumen(["trust", "--list", "--json"]));
  expect(workspaces).toMatchObject([{ state: "changed" }]);
});

test.each([
  ["{ damaged", "workspace.json:1:"],
  ['{"enabledMcpServers": "one"}', '"enabledMcpServers" must be a list'],
])("nor is one whose choice of servers would not count: %s", async (text, reason) => {
  await using bench = await agentBench({ steps: [] });
  const path = await bench.write("work/.acumen/workspace.json", text);
  const { code, stderr } = await bench.acumen(["trust", bench.workspace]);
  expect(code).toBe(2);
  expect(stderr).toContain("AGENT_WORKSPACE_UNTRUSTABLE");
  expect(stderr).toContain(reason);
  expect((await bench.acumen(["trust", "--list"])).stdout).toBe("No workspace is trusted.\n");
  await writeFile(path, '{"enabledMcpServers": ["one"]}');
  expect((await bench.acumen(["trust", bench.workspace])).code).toBe(0);
});

test("what an untrusted folder brings is shown: texts, bounded and visible, and the servers that it switches on", async () => {
  await using bench = await agentBench({ steps: [] });
  await bench.write("work/.acumen/workspace.json", '{"enabledMcpServers":["one","two"]}\n');
  await bench.write("work/.acumen/a.txt", `\u001B[2J\u202E first\n${"line\n".repeat(300)}`);
  await bench.write("work/.acumen/b.bin", "\0");
  const { code, stderr } = await bench.acumen(["trust", bench.workspace]);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^Its \.acumen folder holds:\n {2}\.acumen\/workspace\.json\n {4}\{"enabled/,
  );
  expect(stderr).toContain(String.raw`\u{1b}[2J\u{202e} first`);
  expect(stderr).toMatch(/\[… \d+ more lines\]/);
  expect(stderr.split("\n").length).toBeLessThan(130);
  expect(stderr).toContain("It switches on these MCP servers: one, two\n");
});

test("with --json the difference stands in the record", async () => {
  await using bench = await agentBench({ steps: [] });
  await bench.acumen(["trust", bench.workspace]);
  await bench.write("work/.acumen/config.json", "{}\n");
  const changed = await bench.acumen(["trust", bench.workspace, "--json"]);
  expect(changed.stderr).toBe("");
  expect(lastRecord(changed)).toMatchObject({
    state: "trusted",
    previous: "changed",
    difference: [
      { path: ".acumen/config.json", change: "added", diff: expect.stringContaining("+{}") },
    ],
  });
});

test.each([
  ["y", "is trusted as it is now.", true, "trusted"],
  ["n", "It stays untrusted.", true, "changed"],
  ["y", "is trusted as it is now.", false, "trusted"],
  ["n", "It stays untrusted.", false, undefined],
])(
  "on a terminal what is new is shown and asked about: %s, %s %s",
  async (key, said, was, state) => {
    await using bench = await agentBench({ steps: [] });
    const path = await bench.write("work/.acumen/config.json", "{}\n");
    if (was) await bench.acumen(["trust", bench.workspace]);
    await writeFile(path, '{"limits":{"maxSteps":5}}\n');
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
    let shown = "";
    output.on("data", (chunk: Buffer) => {
      if (!shown.includes("Trust it") && String(chunk).includes("Trust it")) {
        setTimeout(() => input.write(key), 20);
      }
      shown += String(chunk);
    });
    const code = await main(["trust", bench.workspace], {
      stdout: output,
      stderr: { write: () => true },
      stdin: () => input as unknown as InputStream,
      variables: { ACUMEN_HOME: bench.home, NO_COLOR: "1" },
      signal: new AbortController().signal,
    });
    expect(code).toBe(0);
    expect(shown).toMatch(/\{"limits"[\s\S]*Trust it as it is now\?/);
    expect(shown).toContain(said);
    const { workspaces } = lastRecord(await bench.acumen(["trust", "--list", "--json"]));
    expect(workspaces).toMatchObject(state === undefined ? [] : [{ state }]);
  },
);

describe.each([
  ["the root", "/"],
  ["the home folder", homedir()],
  ["a parent of it", dirname(homedir())],
])("%s", (_case, path) => {
  test("can't be trusted", async () => {
    await using bench = await agentBench({ steps: [] });
    const { code, stderr } = await bench.acumen(["trust", path]);
    expect(code).toBe(2);
    expect(stderr).toContain("AGENT_WORKSPACE_UNTRUSTABLE");
  });

  test("can't be trusted for one run either, and no session begins", async () => {
    await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
    const run = ["run", "go", "--cwd", path, "--model", bench.model];
    const { code, stderr } = await bench.acumen([...run, "--trust-once"]);
    expect(code).toBe(2);
    expect(stderr).toContain("AGENT_WORKSPACE_UNTRUSTABLE");
    const listed = await bench.acumen(["sessions", "list", "--json"]);
    expect(lastRecord(listed)["sessions"]).toEqual([]);
    expect((await bench.acumen(run)).code).toBe(0);
  });
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

describe("a child of the agent", () => {
  const variables = { ACUMEN_AGENT: "1" };

  test.each([
    ["run go --trust-once", {}],
    ["run go --mode auto", {}],
    ["run go", { ACUMEN_MODE: "auto" }],
    ["run go --continue --mode auto", {}],
    ["run go --continue", { ACUMEN_MODE: "auto" }],
    ["feedback last good --trust-once", {}],
  ])("cannot call `acumen %s` with %j", async (line, more) => {
    await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
    await bench.run(["first"]);
    const model = line.startsWith("run") ? ["--model", bench.model] : [];
    const words = [...line.split(" "), "--cwd", bench.workspace, ...model, "--json"];
    const outcome = await bench.acumen(words, { variables: { ...variables, ...more } });
    expect(outcome.code).toBe(2);
    expect(lastRecord(outcome)).toMatchObject({ error: { code: "CLI_REFUSED_TO_AGENT" } });
  });

  test("gets no mode auto from the settings or a stored session either, and says how to go on", async () => {
    await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
    await bench.run(["first", "--mode", "auto"]);
    expect((await bench.run(["go", "--continue"], { variables })).code).toBe(2);
    await bench.write("home/config.json", '{"mode":"auto"}');
    const refused = await bench.run(["go"], { variables });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("Name another one with --mode");
    expect((await bench.run(["go", "--mode", "safe"], { variables })).code).toBe(0);
    expect((await bench.run(["go", "--continue", "--mode", "safe"], { variables })).code).toBe(0);
    expect((await bench.run(["go"])).code).toBe(0);
  });
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
