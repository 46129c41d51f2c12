import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { sourceCommand, startModelServer, startProcess, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { readStoredKeys } from "../../src/settings/credentials.ts";
import { CANARY, filesWithCanary } from "../support/canary.ts";
import { lastRecord, type Outcome, runMain } from "../support/run-main.ts";
import { WIRE_MODELS } from "../support/wires.ts";

const BIN = new URL("../../src/bin.ts", import.meta.url);

/** A real `acumen` process with a key on its stdin. */
async function child(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin = "",
): Promise<Outcome> {
  await using process = startProcess(sourceCommand(BIN, args), { env });
  process.child.stdin.end(stdin);
  const { code } = await process.exited;
  return { code: code ?? -1, stdout: process.stdout(), stderr: process.stderr() };
}

describe("as a real process", () => {
  test("takes a key from stdin, stores it for its owner alone and shows what it wrote", async () => {
    await using folder = await tempFolder();
    const home = folder.join("home");
    const line = ["setup", "--model", "openai/gpt-5-mini", "--api-key-stdin"];
    const { code, stdout, stderr } = await child(line, { ACUMEN_HOME: home }, `${CANARY}\n`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Wrote ${home}/config.json\n  model: openai/gpt-5-mini`);
    expect(stdout).toContain("OPENAI_API_KEY: stored, not shown");
    expect(stdout).not.toContain(CANARY);
    expect(stdout).not.toContain("\u001B");
    expect((await stat(`${home}/credentials.json`)).mode & 0o777).toBe(0o600);
    expect(await filesWithCanary(folder.path)).toEqual(["credentials.json"]);
  });

  test("is refused to the agent", async () => {
    await using home = await tempFolder();
    const env = { ACUMEN_HOME: home.path, ACUMEN_AGENT: "1" };
    const { code, stdout, stderr } = await child(["setup", "--model", "builtin/recall"], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^acumen: CLI_REFUSED_TO_AGENT: [^\n]+\n$/);
    expect(await readdir(home.path)).toEqual([]);
  });

  test("several at once leave whole files with every key", async () => {
    await using home = await tempFolder();
    const keys = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY", xai: "XAI_API_KEY" };
    const runs = Object.keys(keys).map((prefix) =>
      child(
        ["setup", "--model", `${prefix}/model`, "--api-key-stdin", "--base-url", "http://a"],
        { ACUMEN_HOME: home.path },
        `key-of-${prefix}`,
      ),
    );
    for (const { code, stderr } of await Promise.all(runs)) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
    expect(await readStoredKeys(home.join("credentials.json"))).toEqual(
      Object.fromEntries(Object.entries(keys).map(([prefix, name]) => [name, `key-of-${prefix}`])),
    );
    const settings = JSON.parse(await readFile(home.join("config.json"), "utf8")) as object;
    expect(settings).toMatchObject({
      endpoints: { openai: "http://a", anthropic: "http://a", xai: "http://a" },
    });
  }, 60_000);
});

describe.each(WIRE_MODELS)("--connect over %s", (wire, model, variable) => {
  const line = ["setup", "--model", model, "--api-key-env", "MY_KEY", "--connect", "--json"];

  test("asks one tiny question with the new key, then writes", async () => {
    await using home = await tempFolder();
    await using server = await startModelServer({ wire, apiKey: CANARY, script: [{ text: "OK" }] });
    const outcome = await runMain([...line, "--base-url", server.baseUrl], {
      home: home.path,
      // The environment's own key is not the one to try.
      variables: { MY_KEY: CANARY, [variable]: "another" },
    });
    expect(outcome.code).toBe(0);
    expect(lastRecord(outcome)).toMatchObject({
      type: "result",
      command: "setup",
      settings: { model },
      credentials: { variables: [variable] },
      environment_wins: [variable],
      connection: { milliseconds: expect.any(Number) as number },
    });
    expect(server.calls).toHaveLength(1);
    expect(outcome.stdout + outcome.stderr).not.toContain(CANARY);
    expect(await filesWithCanary(home.path)).toEqual(["credentials.json"]);
  });

  test("writes nothing when the key is refused", async () => {
    await using home = await tempFolder();
    await using server = await startModelServer({ wire, apiKey: "right", script: [] });
    const { code, stdout, stderr } = await runMain([...line, "--base-url", server.baseUrl], {
      home: home.path,
      variables: { MY_KEY: CANARY },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^acumen: MODEL_FAILED: [^\n]*refused the key[^\n]*\n$/);
    expect(lastRecord({ stdout })).toMatchObject({ error: { details: { kind: "auth" } } });
    expect(stdout + stderr).not.toContain(CANARY);
    expect(await readdir(home.path)).toEqual([]);
  });
});

test("a local server needs no key", async () => {
  await using home = await tempFolder();
  await using server = await startModelServer({
    wire: "openai-compatible",
    script: [{ text: "OK" }],
  });
  const line = ["setup", "--model", "ollama/qwen3", "--connect"];
  const { code, stdout } = await runMain([...line, "--base-url", server.baseUrl], {
    home: home.path,
  });
  expect(code).toBe(0);
  expect(stdout).toContain("Asking ollama/qwen3 …");
  expect(stdout).toContain(`endpoints.ollama: ${server.baseUrl}`);
  expect(server.requests[0]?.key).toBe("missing");
  expect(await readdir(home.path)).toEqual(["config.json"]);
});

describe("exit 2, one line, nothing written", () => {
  test.each([
    ["no flag and no terminal", "", "CLI_USAGE", "--model ID"],
    ["no key", "--model gpt-5", "CLI_NO_CREDENTIALS", "OPENAI_API_KEY"],
    ["an unknown model", "--model gtp-5", "CLI_USAGE", "--model: Model id"],
    ["a model that replays a file", "--model scripted/a.json", "CLI_USAGE", "replays a file"],
    ["a key as argument", `--model gpt-5 --api-key ${CANARY}`, "CLI_USAGE", "no argument"],
    [
      "a key behind an equals sign",
      `--model gpt-5 --api-key=${CANARY}`,
      "CLI_USAGE",
      "no argument",
    ],
    ["a key as word", CANARY, "CLI_USAGE", "Too many arguments"],
    ["a key for a name", `--model gpt-5 --api-key-env ${CANARY}`, "CLI_USAGE", "never the key"],
    ["an unset variable", "--model gpt-5 --api-key-env MY_KEY", "CLI_USAGE", "MY_KEY is not set"],
    ["an empty stdin", "--model gpt-5 --api-key-stdin", "CLI_USAGE", "The key on stdin is empty"],
    [
      "two sources",
      "--model gpt-5 --api-key-stdin --api-key-env A",
      "CLI_USAGE",
      "exclude each other",
    ],
    ["a try without key", "--model gpt-5 --no-api-key --connect", "CLI_USAGE", "needs the key"],
    [
      "a key of no use",
      "--model builtin/recall --api-key-stdin",
      "CLI_USAGE",
      "neither address nor key",
    ],
    [
      "an address with password",
      `--model ollama/x --base-url http://a:${CANARY}@b`,
      "CLI_USAGE",
      "user name",
    ],
    ["no address", "--model openai_compatible/x", "MODEL_FAILED", "OPENAI_COMPATIBLE_BASE_URL"],
    ["no package", "--model openrouter/x --no-api-key", "MODEL_FAILED", "npm install"],
  ])("for %s", async (_case, line, code, text) => {
    await using home = await tempFolder();
    const args = ["setup", ...line.split(" ").filter(Boolean)];
    const outcome = await runMain(args, { home: home.path });
    expect(outcome.stderr).toMatch(new RegExp(`^acumen: ${code}: [^\\n]+\\n$`));
    expect(outcome.stderr).toContain(text);
    expect(outcome.code).toBe(2);
    expect(outcome.stdout + outcome.stderr).not.toContain(CANARY);
    expect(await readdir(home.path)).toEqual([]);
  });

  test("for a terminal as stdin, which would show the key", async () => {
    await using home = await tempFolder();
    const { code, stderr } = await runMain(["setup", "--model", "gpt-5", "--api-key-stdin"], {
      home: home.path,
      stdinIsTTY: true,
    });
    expect(code).toBe(2);
    expect(stderr).toContain("a terminal would show the key");
  });

  test("for a broken settings file, which keeps its content", async () => {
    await using home = await tempFolder();
    const text = '{ "model": "gpt-5", // half\n';
    await writeFile(home.join("config.json"), text);
    const { code, stderr } = await runMain(["setup", "--model", "builtin/recall"], {
      home: home.path,
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^acumen: CLI_SETTINGS_FILE_INVALID: [^\n]*config\.json:2:1: [^\n]+\n$/);
    expect(await readFile(home.join("config.json"), "utf8")).toBe(text);
  });
});

const AGENT = "Used by `acumen` (the chat), `acumen run`, `acumen doctor` and";

test.each([
  ["builtin/recall", "is no language model: the coding agent", "Next: `acumen tour`"],
  ["openai/gpt-5-mini", AGENT, "Next: the key is missing; set OPENAI_API_KEY"],
  [
    "ollama/qwen3",
    AGENT,
    "Next: `acumen doctor --connect` tries the model; `acumen` starts the chat.",
  ],
])("says what comes next for %s, and who uses what it wrote", async (model, user, next) => {
  await using home = await tempFolder();
  const { code, stdout } = await runMain(["setup", "--model", model, "--no-api-key"], {
    home: home.path,
  });
  expect(code).toBe(0);
  expect(stdout).toContain(user);
  expect(stdout).toContain(next);
  expect(stdout).toContain("ace-mcp and the library read environment variables");
  expect(stdout).not.toContain("did you mean");
  for (const line of stdout.split("\n").filter((text) => !text.includes(home.path))) {
    expect(line.length).toBeLessThanOrEqual(80);
  }
});

test("a model that is near to a known one is noted and written", async () => {
  await using home = await tempFolder();
  const line = ["setup", "--model", "openai/gpt-5-mni", "--no-api-key"];
  const { code, stdout } = await runMain(line, { home: home.path });
  expect(code).toBe(0);
  expect(stdout).toContain("did you mean\n  openai/gpt-5-mini?");
});

test("--no-api-key writes the model and leaves the key to the environment", async () => {
  await using home = await tempFolder();
  const { code } = await runMain(["setup", "--model", "gpt-5", "--no-api-key"], {
    home: home.path,
  });
  expect(code).toBe(0);
  expect(await readdir(home.path)).toEqual(["config.json"]);
});

test("the help says why a key is no argument, and offers no flag for it", async () => {
  await using home = await tempFolder();
  const { stdout } = await runMain(["setup", "--help"], { home: home.path });
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("sees the arguments of all processes");
  expect(stdout).not.toMatch(/--api-key[ =]/);
});
