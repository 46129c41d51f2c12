import { chmod, readdir, writeFile } from "node:fs/promises";
import { sourceCommand, startModelServer, startProcess, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { writeStoredKeys } from "../../src/settings/credentials.ts";
import { CANARY } from "../support/canary.ts";
import { lastRecord, type Outcome, runMain } from "../support/run-main.ts";
import { WIRE_MODELS } from "../support/wires.ts";

interface Finding {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly remedy?: string;
}

/** The findings of `--json`, whether something is wrong or not. */
function findings(outcome: Outcome): Record<string, Finding> {
  const record = lastRecord(outcome) as {
    checks?: Finding[];
    error?: { details: { checks: Finding[] } };
  };
  const checks = record.checks ?? record.error?.details.checks ?? [];
  return Object.fromEntries(checks.map((found) => [found.name, found]));
}

test("on a fresh machine nothing is wrong, nothing is written, and the ways to a key are shown", async () => {
  await using folder = await tempFolder();
  await using child = startProcess(
    sourceCommand(new URL("../../src/bin.ts", import.meta.url), ["doctor"]),
    { cwd: folder.path, env: { ACUMEN_HOME: folder.join("home") } },
  );
  child.child.stdin.end();
  expect(await child.exited).toEqual({ code: 0, signal: null });
  const stdout = child.stdout();
  expect(child.stderr()).toBe("");
  for (const line of stdout.trimEnd().split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(stdout).toMatch(/^Acumen \d+\.\d+\.\d+, /);
  expect(stdout).toMatch(/^ok {5}Node \d/m);
  expect(stdout).toMatch(/^ok {5}git version /m);
  expect(stdout).toContain("`acumen setup` stores one");
  expect(stdout).toContain("OPENAI_API_KEY");
  expect(stdout).toContain("ollama/NAME");
  expect(stdout).not.toContain("\u001B");
  expect(await readdir(folder.path)).toEqual([]);
});

test("names every finding with its remedy, exits 1, and looks on after a broken file", async () => {
  await using home = await tempFolder();
  await writeFile(home.join("config.json"), '{ "modle": "gpt-5" }');
  await writeStoredKeys(home.join("credentials.json"), { OPENAI_API_KEY: CANARY });
  await chmod(home.join("credentials.json"), 0o644);
  const outcome = await runMain(["doctor", "--json"], {
    home: home.path,
    variables: { ACUMEN_MODEL: "gpt-5", PATH: "/nowhere" },
  });
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toBe(
    "acumen: CLI_DOCTOR_FAILED: Something is wrong with: git, settings, credentials, model.\n",
  );
  const found = findings(outcome);
  expect(found["git"]?.message).toBe("git is not on the PATH");
  expect(found["settings"]?.message).toContain('Did you mean "model"?');
  expect(found["credentials"]?.remedy).toBe(`Run: chmod 600 ${home.join("credentials.json")}`);
  expect(found["model"]?.message).toContain("No key for OpenAI");
  expect(found["keys"]?.status).toBe("note");
  expect(outcome.stdout + outcome.stderr).not.toContain(CANARY);
});

test("says where keys come from and which model is chosen, never a key", async () => {
  await using home = await tempFolder();
  await writeFile(home.join("config.json"), '{"model":"openai/gpt-5"}', { mode: 0o600 });
  await writeStoredKeys(home.join("credentials.json"), { OPENAI_API_KEY: CANARY });
  const outcome = await runMain(["doctor", "--json"], {
    home: home.path,
    variables: { GEMINI_API_KEY: CANARY },
  });
  expect(outcome.code).toBe(0);
  expect(lastRecord(outcome)).toMatchObject({ type: "result", command: "doctor", ok: true });
  const found = findings(outcome);
  expect(found["keys"]?.message).toBe("keys for openai (stored), gemini (GEMINI_API_KEY)");
  expect(found["model"]?.message).toContain("openai/gpt-5 (from the settings file)");
  expect(found["ace-mcp"]?.status).toBe("ok");
  expect(found["connection"]).toBeUndefined();
  expect(outcome.stdout).not.toContain(CANARY);
});

test("settings that others may change are wrong", async () => {
  await using home = await tempFolder();
  await writeFile(home.join("config.json"), "{}");
  await chmod(home.join("config.json"), 0o666);
  const outcome = await runMain(["doctor", "--json"], { home: home.path });
  expect(outcome.code).toBe(1);
  expect(findings(outcome)["settings"]).toMatchObject({
    status: "wrong",
    remedy: expect.stringContaining("chmod 600") as string,
  });
});

describe.each(WIRE_MODELS)("--connect over %s", (wire, model, variable) => {
  async function connect(
    script: Parameters<typeof startModelServer>[0]["script"],
    key: string,
  ): Promise<{ readonly outcome: Outcome; readonly calls: number }> {
    await using home = await tempFolder();
    await using server = await startModelServer({ wire, apiKey: CANARY, script });
    const settings = { model, endpoints: { [model.split("/")[0] ?? ""]: server.baseUrl } };
    await writeFile(home.join("config.json"), JSON.stringify(settings), { mode: 0o600 });
    await writeStoredKeys(home.join("credentials.json"), { [variable]: key });
    const outcome = await runMain(["doctor", "--connect", "--json"], { home: home.path });
    expect(outcome.stdout + outcome.stderr).not.toContain(CANARY);
    return { outcome, calls: server.requests.length };
  }

  test("asks once with the stored key", async () => {
    const usage = { input: 12, output: 2 };
    const { outcome, calls } = await connect([{ text: "OK", usage }], CANARY);
    expect({ code: outcome.code, calls }).toEqual({ code: 0, calls: 1 });
    expect(findings(outcome)["connection"]?.message).toMatch(
      /answered in \d+ ms \(12 \+ 2 tokens\)$/,
    );
  });

  test.each([
    ["auth", "wrong-key", []],
    ["rate_limit", CANARY, [{ fault: "429", retryAfter: 20 } as const]],
    ["unavailable", CANARY, [{ fault: "500" } as const]],
    ["unknown_model", CANARY, [{ fault: "404-model" } as const]],
  ])("shows kind %s with a remedy and asks no second time", async (kind, key, script) => {
    const { outcome, calls } = await connect(script, key);
    expect({ code: outcome.code, calls }).toEqual({ code: 1, calls: 1 });
    const { status, message, remedy } = findings(outcome)["connection"] ?? {};
    expect(status).toBe("wrong");
    expect(message).toMatch(new RegExp(`^${kind}: `));
    expect(remedy).toMatch(/\.$/);
    if (kind === "rate_limit") expect(remedy).toBe("Try again in 20 s.");
  });
});

test("--connect without a server says how to start one; without a model what to do", async () => {
  await using home = await tempFolder();
  const server = await startModelServer({ wire: "openai-compatible", script: [] });
  await server.close();
  const away = await runMain(["doctor", "--connect", "--model", "ollama/qwen3", "--json"], {
    home: home.path,
    variables: { OLLAMA_BASE_URL: server.baseUrl },
  });
  expect(away.code).toBe(1);
  expect(findings(away)["connection"]?.message).toMatch(/^unavailable: .*ollama serve/);
  const none = await runMain(["doctor", "--connect", "--json"], { home: home.path });
  expect(none.code).toBe(1);
  expect(findings(none)["connection"]).toMatchObject({
    status: "wrong",
    remedy: expect.stringContaining("acumen setup") as string,
  });
  const embedded = await runMain(["doctor", "--connect", "--model", "builtin/recall", "--json"], {
    home: home.path,
  });
  expect(embedded.code).toBe(0);
});

test("a misspelt model or home is exit 2", async () => {
  await using home = await tempFolder();
  const model = await runMain(["doctor", "--model", "gtp-5"], { home: home.path });
  expect(model.code).toBe(2);
  expect(model.stderr).toMatch(/^acumen: CLI_USAGE: --model: Model id "gtp-5"[^\n]+\n$/);
  const relative = await runMain(["doctor"], { home: "somewhere" });
  expect(relative.code).toBe(2);
  expect(relative.stderr).toMatch(/^acumen: CLI_SETTING_INVALID: ACUMEN_HOME [^\n]+\n$/);
});
