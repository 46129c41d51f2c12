import { writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { isInstalled } from "../../src/models/catalogue.ts";
import { writeStoredKeys } from "../../src/settings/credentials.ts";
import { CANARY } from "../support/canary.ts";
import { lastRecord, runMain } from "../support/run-main.ts";

interface ProviderRecord {
  readonly provider: string;
  readonly key: string;
  readonly key_variable?: string;
  readonly models: readonly Readonly<Record<string, unknown>>[];
}

function providersOf(outcome: { readonly stdout: string }): readonly ProviderRecord[] {
  return lastRecord(outcome)["providers"] as readonly ProviderRecord[];
}

test("tells where keys come from and which model is chosen, never a key", async () => {
  await using home = await tempFolder();
  await writeStoredKeys(home.join("credentials.json"), { XAI_API_KEY: CANARY });
  await writeFile(home.join("config.json"), '{"model":"xai/grok-4"}');
  const variables = { ANTHROPIC_API_KEY: CANARY };
  const text = await runMain(["models"], { home: home.path, variables });
  expect(text.stdout).toMatch(/^anthropic .* set: ANTHROPIC_API_KEY$/m);
  expect(text.stdout).toMatch(/^xai .* stored by acumen setup$/m);
  expect(text.stdout).toContain("Chosen model: xai/grok-4 (from the settings file).");
  expect(text.stdout).not.toContain("No key yet");
  const json = await runMain(["models", "--json"], { home: home.path, variables });
  const keys = Object.fromEntries(providersOf(json).map(({ provider, key }) => [provider, key]));
  expect(keys).toMatchObject({ anthropic: "environment", xai: "stored", openai: "missing" });
  expect(lastRecord(json)).toMatchObject({ command: "models", model: "xai/grok-4" });
  expect(text.stdout + json.stdout).not.toContain(CANARY);
});

test("says which models take a thought level, and which levels to machines", async () => {
  await using home = await tempFolder();
  const found = await runMain(["models", "gpt-5.1-2025"], { home: home.path });
  expect(found.stdout).toMatch(/^openai\/gpt-5\.1-2025-11-13 .* vrt /m);
  const json = await runMain(["models", "gpt-", "--json"], { home: home.path });
  const models = providersOf(json).flatMap((provider) => provider.models);
  const levels = Object.fromEntries(models.map(({ id, thought_levels }) => [id, thought_levels]));
  expect(levels).toMatchObject({
    "openai/gpt-5.1": ["none", "low", "medium", "high"],
    "openai/gpt-4.1": [],
  });
});

test("no key is asked for when the chosen model needs none", async () => {
  await using home = await tempFolder();
  for (const model of ["ollama/qwen3", "builtin/recall"]) {
    const { stdout } = await runMain(["models"], {
      home: home.path,
      variables: { ACUMEN_MODEL: model },
    });
    expect(stdout).toContain(`Chosen model: ${model} (from ACUMEN_MODEL).`);
    expect(stdout).not.toContain("No key yet");
  }
});

test("the embedded model is listed and found", async () => {
  await using home = await tempFolder();
  const all = await runMain(["models"], { home: home.path });
  expect(all.stdout).toMatch(/^builtin +embedded: builtin\/recall +1 +not needed$/m);
  const found = await runMain(["models", "recall"], { home: home.path });
  expect(found.stdout).toMatch(/^builtin\/recall /m);
  const json = await runMain(["models", "recall", "--json"], { home: home.path });
  expect(lastRecord(json)).toMatchObject({ embedded: "builtin/recall", providers: [] });
});

test("words find models with context window, prices and abilities", async () => {
  await using home = await tempFolder();
  const { stdout } = await runMain(["models", "anthropic", "OPUS-4-5"], { home: home.path });
  expect(stdout).toMatch(/^anthropic\/claude-opus-4-5 +200k +5 +25 +vrt +missing$/m);
  const json = await runMain(["models", "anthropic", "opus-4-5", "--json"], { home: home.path });
  const anthropic = providersOf(json).find(({ provider }) => provider === "anthropic");
  expect(anthropic?.models[0]).toEqual({
    id: "anthropic/claude-opus-4-5",
    context_window: 200_000,
    max_output_tokens: 64_000,
    vision: true,
    reasoning: true,
    thought_levels: ["none", "low", "medium", "high"],
    input_price: 5,
    output_price: 25,
  });
  expect(lastRecord(json)["snapshot_date"]).toMatch(/^\d{4}-\d\d-\d\d$/);
});

test("a provider's name brings its models; ids are whole whatever their length", async () => {
  await using home = await tempFolder();
  const { stdout } = await runMain(["models", "fireworks_ai", "--limit", "400"], {
    home: home.path,
  });
  const ids = stdout.match(/^fireworks_ai\/\S+/gm) ?? [];
  expect(ids.length).toBeGreaterThan(100);
  expect(ids.some((id) => id.length > 60)).toBe(true);
  expect(stdout).not.toMatch(/^fireworks_ai\S*…/m);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

test("what is left over is counted, and no match is said", async () => {
  await using home = await tempFolder();
  const few = await runMain(["models", "openai", "--limit", "2"], { home: home.path });
  expect(few.stdout).toMatch(/^\d+ more models: raise --limit/m);
  const none = await runMain(["models", "no-such", "model"], { home: home.path });
  expect(none.code).toBe(0);
  expect(none.stdout).toContain('No known model matches "no-such model".');
  const unlisted = await runMain(["models", "lm_studio"], { home: home.path });
  expect(unlisted.stdout).toContain("lm_studio/… is LM Studio: not needed");
});

test("stored keys that cannot be used are told on stderr, and the list comes all the same", async () => {
  await using home = await tempFolder();
  await writeFile(home.join("credentials.json"), CANARY, { mode: 0o600 });
  const { code, stdout, stderr } = await runMain(["models"], { home: home.path });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^acumen: CLI_CREDENTIALS_INVALID: [^\n]+\n$/);
  expect(stdout + stderr).not.toContain(CANARY);
});

test("an optional package that is not there is told apart from one with an odd export map", () => {
  expect(isInstalled("@ai-sdk/no-such-provider")).toBe(false);
  expect(isInstalled("zod")).toBe(true);
});
