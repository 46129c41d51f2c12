import { mkdir, writeFile } from "node:fs/promises";
import { tempFolder, type TempFolder } from "@acumen/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lastRecord, type Outcome, runMain, type RunOptions } from "../support/run-main.ts";

let folder: TempFolder;
let homes = 0;

beforeAll(async () => {
  folder = await tempFolder("acumen-acp-check");
});
afterAll(() => folder.remove());

interface Check {
  readonly flags?: readonly string[];
  readonly variables?: RunOptions["variables"];
  readonly files?: Readonly<Record<string, object | string>>;
}

async function check({ flags = [], variables = {}, files = {} }: Check): Promise<Outcome> {
  const home = folder.join(`home-${(homes += 1)}`);
  await mkdir(home);
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await writeFile(`${home}/${name}`, text, { mode: 0o600 });
  }
  return runMain(["acp", "--check", ...flags], { home, variables });
}

const MODEL = ["--model", "anthropic/claude-sonnet-4-5"];
const KEY = { ANTHROPIC_API_KEY: "sk-canary-1" };

describe("acumen acp --check", () => {
  test("says model, credentials and servers, starts none, and ends with 0", async () => {
    const mcpServers = { files: { command: "no-such-program", args: ["--root"] } };
    const outcome = await check({
      flags: MODEL,
      variables: KEY,
      files: { "mcp.json": { mcpServers } },
    });
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(outcome.stdout).toContain("anthropic/claude-sonnet-4-5 (from --model) can be built");
    expect(outcome.stdout).toContain("files (stdio): not enabled in this folder");
    expect(outcome.stdout).toContain("A host that begins a session here asks anthropic/");
    expect(outcome.stdout).not.toContain("canary");
  });

  test("is one record for machines", async () => {
    const mcpServers = { files: { url: "http://127.0.0.1:1/mcp" } };
    const outcome = await check({
      flags: [...MODEL, "--json"],
      variables: KEY,
      files: { "mcp.json": { mcpServers } },
    });
    expect(outcome.code).toBe(0);
    expect(outcome.stdout.trim().split("\n")).toHaveLength(1);
    expect(lastRecord(outcome)).toMatchObject({
      type: "result",
      command: "acp",
      check: true,
      ok: true,
      cwd: process.cwd(),
      model: "anthropic/claude-sonnet-4-5",
      model_source: "flag",
      mcp_servers: [{ name: "files", transport: "http", enabled: false }],
    });
  });

  test.each([
    ["no model", {}, "CLI_NO_MODEL", "No model is chosen"],
    ["no key", { flags: MODEL }, "CLI_NO_CREDENTIALS", "set ANTHROPIC_API_KEY"],
    [
      "a model that recalls only",
      { flags: ["--model", "builtin/recall"] },
      "CLI_NO_MODEL",
      "no language model",
    ],
    [
      "settings that cannot be read",
      { files: { "config.json": "{oops" } },
      "CLI_SETTINGS_FILE_INVALID",
      "config.json:1:2",
    ],
    [
      "a script that is not there",
      { flags: ["--model", "scripted//nowhere/script.json"] },
      "CLI_NO_MODEL",
      "from --model cannot be used",
    ],
  ] as const)(
    "ends with 2 for %s, with the findings for machines",
    async (_name, given, code, text) => {
      const outcome = await check({
        ...given,
        flags: [...("flags" in given ? given.flags : []), "--json"],
      });
      expect(outcome.code).toBe(2);
      expect(outcome.stderr).toMatch(new RegExp(`^acumen: ${code}: `));
      expect(outcome.stderr).toContain(text);
      expect(lastRecord(outcome)).toMatchObject({
        error: { code, details: { command: "acp", ok: false, mcp_servers: [] } },
      });
    },
  );

  test("cannot be asked for together with --setup", async () => {
    const outcome = await check({ flags: ["--setup"] });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain("CLI_USAGE");
  });
});

test("acumen acp --setup asks like acumen setup does, which needs a terminal", async () => {
  const outcome = await runMain(["acp", "--mode", "safe", "--setup"], { home: folder.path });
  expect(outcome.code).toBe(2);
  expect(outcome.stderr).toContain("Without a terminal `acumen setup` needs --model ID");
});
