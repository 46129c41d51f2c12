import { readFile, writeFile } from "node:fs/promises";
import { startModelServer } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { agentBench } from "../support/agent-bench.ts";
import { CANARY, filesWithCanary } from "../support/canary.ts";
import { lastRecord, recordsOf } from "../support/run-main.ts";

const TOUCH = {
  steps: [
    { toolCalls: [{ tool: "bash", input: { command: "touch made.txt" } }] },
    { text: "Done." },
  ],
};

describe("the settings file", () => {
  test("sets the mode; the environment and a flag win over it", async () => {
    await using bench = await agentBench({ steps: [{ text: "One." }], repeatLast: true });
    await bench.write("home/config.json", '{"mode":"manual"}');
    const mode = async (flags: string[], variables = {}): Promise<string | undefined> =>
      /mode (\w+)/.exec((await bench.run(["go", ...flags], { variables })).stderr)?.[1];
    expect(await mode([])).toBe("manual");
    expect(await mode([], { ACUMEN_MODE: "safe" })).toBe("safe");
    expect(await mode(["--mode", "manual"], { ACUMEN_MODE: "safe" })).toBe("manual");
  });

  test("allows a call that its mode would not, and denies one that its mode would", async () => {
    await using bench = await agentBench({ ...TOUCH, repeatLast: true });
    await bench.write("home/config.json", '{"permissions":{"allow":["bash(touch *)"]}}');
    expect((await bench.run(["go"])).code).toBe(0);
    await bench.write("home/config.json", '{"permissions":{"deny":["bash(touch *)"]}}');
    const { code, stderr } = await bench.run(["go", "--mode", "auto", "--trust-once"]);
    expect(code).toBe(3);
    expect(stderr).toContain("rejected");
  });

  test("with a rule that cannot be read stops the run, naming the rule", async () => {
    await using bench = await agentBench(TOUCH);
    await bench.write("home/config.json", '{"permissions":{"deny":["bash(rm"]}}');
    const { code, stderr } = await bench.run(["go"]);
    expect(code).toBe(2);
    expect(stderr).toContain("AGENT_RULE_INVALID");
    expect(stderr).toContain("bash(rm");
  });

  test("bounds the steps of a turn, and the environment wins", async () => {
    await using bench = await agentBench({
      steps: [{ toolCalls: [{ tool: "update_plan", input: { entries: [] } }] }],
      repeatLast: true,
    });
    await bench.write("home/config.json", '{"limits":{"maxSteps":1}}');
    const limit = async (variables = {}): Promise<unknown> =>
      lastRecord(await bench.run(["go", "--json"], { variables }))["auto_stop"];
    expect(await limit()).toEqual({ reason: "step_limit", limit: 1 });
    expect(await limit({ ACUMEN_MAX_STEPS: "2" })).toEqual({ reason: "step_limit", limit: 2 });
  });

  test("passes variables to commands, and no others", async () => {
    await using bench = await agentBench({
      steps: [
        { toolCalls: [{ tool: "bash", input: { command: "env > env.txt" } }] },
        { text: "Done." },
      ],
    });
    await bench.write("home/config.json", '{"env":{"pass":["DATABASE_URL"]}}');
    const variables = { DATABASE_URL: "db://x", OPENAI_API_KEY: CANARY, OTHER: "secret" };
    await bench.run(["go", "--mode", "auto", "--trust-once"], { variables });
    const env = await readFile(`${bench.workspace}/env.txt`, "utf8");
    expect(env).toContain("DATABASE_URL=db://x");
    expect(env).toContain("ACUMEN_AGENT=1");
    expect(env).not.toMatch(/OPENAI_API_KEY|OTHER/);
  });
});

describe("the workspace's settings", () => {
  const DENY = '{"permissions":{"deny":["bash(touch *)"]},"model":"gpt-4o"}';

  test("do not count until it is trusted, and the run says so", async () => {
    await using bench = await agentBench({ ...TOUCH, repeatLast: true });
    await bench.write("home/config.json", '{"permissions":{"allow":["bash(touch *)"]}}');
    const path = await bench.write("work/.acumen/config.json", DENY);
    const before = await bench.run(["go"]);
    expect(before.code).toBe(0);
    expect(before.stderr.replaceAll("\n", " ")).toContain(`${path} is not read`);
    await bench.acumen(["trust", bench.workspace]);
    const after = await bench.run(["go"]);
    expect(after.code).toBe(3);
    expect(after.stderr).not.toContain("is not read");
  });

  test("that changed since are not read, and the run says so, whatever file it was", async () => {
    await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
    const said = async (): Promise<string> =>
      (await bench.run(["go"])).stderr.replaceAll("\n", " ");
    await bench.acumen(["trust", bench.workspace]);
    await bench.write("work/.acumen/skillbook.json", "{}");
    expect(await said()).toContain(
      `${bench.workspace}/.acumen is not read: this workspace changed since it was trusted (\`acumen trust\`).`,
    );
    const path = await bench.write("work/.acumen/config.json", "{}");
    expect(await said()).toContain(
      `${path} is not read: this workspace changed since it was trusted`,
    );
  });

  test("are none in the home folder, where the file is the person's own", async () => {
    await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
    const home = bench.folder.join(".acumen");
    await bench.write(".acumen/config.json", '{"mode":"manual"}');
    const run = ["run", "go", "--cwd", bench.folder.path, "--model", bench.model];
    const own = await bench.acumen(run, { home });
    expect(own).toMatchObject({ code: 0, stderr: expect.stringContaining("mode manual") });
    expect(own.stderr).not.toContain("is not read");
    const doctor = await bench.acumen(["doctor", "--json"], { home });
    expect(doctor.stdout).not.toContain("is not read");
  });

  test("choose the model of a trusted workspace, under environment and flags", async () => {
    await using bench = await agentBench(TOUCH);
    await bench.write("work/.acumen/config.json", '{"model":"openai/gpt-4o"}');
    const args = ["run", "go", "--cwd", bench.workspace, "--trust-once", "--json"];
    const outcome = await bench.acumen(args);
    expect(lastRecord(outcome)).toMatchObject({
      error: { message: expect.stringContaining("openai/gpt-4o") },
    });
    const said = await bench.acumen(args, { variables: { ACUMEN_MODEL: "anthropic/claude-x" } });
    expect(lastRecord(said)).toMatchObject({
      error: { message: expect.stringContaining("anthropic/claude-x") },
    });
  });

  test("that would grant rights stop the run of a trusted workspace", async () => {
    await using bench = await agentBench(TOUCH);
    await bench.write("work/.acumen/config.json", '{"permissions":{"allow":["bash"]}}');
    const { code, stderr } = await bench.run(["go", "--trust-once"]);
    expect(code).toBe(2);
    expect(stderr).toContain('"permissions.allow" does not count in a workspace');
  });
});

test("`auto` acts as `safe` in a workspace that is not trusted, and that is said once", async () => {
  await using bench = await agentBench(TOUCH);
  const { code, stderr } = await bench.run(["go", "--mode", "auto"]);
  expect(code).toBe(3);
  expect(stderr).toContain("mode safe");
  expect(
    stderr.replaceAll("\n", " ").match(/not trusted, so mode auto acts as safe/g),
  ).toHaveLength(1);
});

test("model, address and key that `setup` stored are used, and the key stays where it is", async () => {
  await using bench = await agentBench({ steps: [] });
  await using server = await startModelServer({
    wire: "openai-chat",
    apiKey: CANARY,
    script: [{ text: "Hello from the server." }],
  });
  const setup = await bench.acumen(
    ["setup", "--model", "openai/gpt-4o-mini", "--base-url", server.baseUrl, "--api-key-stdin"],
    { stdin: CANARY },
  );
  expect(setup.code).toBe(0);
  const { code, stdout, stderr } = await bench.acumen(["run", "go", "--cwd", bench.workspace]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Hello from the server.\n" });
  expect(server.requests.map(({ key }) => key)).toEqual(["right"]);
  expect(stderr).not.toContain(CANARY);
  expect(await filesWithCanary(bench.home)).toEqual(["credentials.json"]);
});

test("a key that the model repeats reaches neither output nor log", async () => {
  await using bench = await agentBench({
    steps: [
      { toolCalls: [{ tool: "bash", input: { command: "cat ../leak.txt" } }] },
      { text: `The key is ${CANARY}.`, chunkSize: 5 },
    ],
  });
  await writeFile(bench.folder.join("leak.txt"), CANARY);
  const outcome = await bench.run(["go", "--json", "--deltas", "--mode", "auto", "--trust-once"], {
    variables: { OPENAI_API_KEY: CANARY },
  });
  expect(outcome.code).toBe(0);
  const deltas = recordsOf(outcome).filter(({ type }) => type === "delta");
  expect(deltas.map(({ text }) => text).join("")).toBe("The key is [hidden].");
  expect(lastRecord(outcome)["text"]).toBe("The key is [hidden].");
  expect(outcome.stdout + outcome.stderr).not.toContain(CANARY);
  expect(await filesWithCanary(bench.home)).toEqual([]);
});

test("a damaged file of trust is said, and nothing is trusted", async () => {
  await using bench = await agentBench({ steps: [{ text: "One." }] });
  const path = await bench.write("home/trust.json", "{ damaged");
  const { code, stderr } = await bench.run(["go"]);
  expect(code).toBe(0);
  expect(stderr).toContain("AGENT_TRUST_INVALID");
  expect(stderr.replaceAll(/\s+/g, "")).toContain(path);
});
