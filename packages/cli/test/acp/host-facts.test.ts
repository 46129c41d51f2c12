import { mkdir, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { hostFacts } from "../../src/acp/host-facts.ts";
import { hostModels } from "../../src/acp/host-models.ts";
import { loadSettings, type LoadedSettings } from "../../src/settings/load-settings.ts";

async function loadedWith(
  model: string | undefined,
  variables: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<LoadedSettings> {
  await using folder = await tempFolder();
  await mkdir(folder.path, { recursive: true });
  for (const [name, text] of Object.entries(files))
    await writeFile(folder.join(name), text, { mode: 0o600 });
  const flags = model === undefined ? {} : { model };
  return loadSettings({ ...variables, ACUMEN_HOME: folder.path }, flags, { tolerant: true });
}

const KEY = { ANTHROPIC_API_KEY: "k" };

test.each([
  ["a model that sees", "anthropic/claude-sonnet-4-5", true],
  ["one that does not", "openai/gpt-3.5-turbo", false],
  ["one that no table knows", "ollama/my-own-model", false],
  ["one that replays a file", "scripted//tmp/script.json", false],
  ["none", undefined, false],
])("images are offered for %s: %s -> %s", async (_name, model, image) => {
  expect((await hostFacts(await loadedWith(model))).image).toBe(image);
});

test.each([
  ["a key in the environment", "anthropic/claude-sonnet-4-5", KEY, {}],
  [
    "a stored key",
    "anthropic/claude-sonnet-4-5",
    {},
    { "credentials.json": '{"version":1,"keys":{"ANTHROPIC_API_KEY":"k"}}' },
  ],
  ["a model that needs none", "ollama/qwen3", {}, {}],
  ["a model that replays a file", "scripted//tmp/script.json", {}, {}],
  ["a key and no model, which a session says", undefined, KEY, {}],
  ["a key and a model that recalls only, which a session says", "builtin/recall", KEY, {}],
  ["settings that somebody has to mend first", undefined, {}, { "config.json": "{oops" }],
])("nothing is missing with %s", async (_name, model, variables, files) => {
  const facts = await hostFacts(await loadedWith(model, variables, files));
  expect(facts).not.toHaveProperty("missingCredentials");
});

test.each([
  ["neither model nor key", undefined, {}, "No model is chosen"],
  ["no key", "anthropic/claude-sonnet-4-5", {}, "run `acumen setup`, or set ANTHROPIC_API_KEY"],
  ["only somebody else's key", "openai/gpt-5-mini", KEY, "set OPENAI_API_KEY"],
  ["a model that recalls only and no key", "builtin/recall", {}, "no language model"],
])("what to set is said with %s", async (_name, model, variables, text) => {
  const { missingCredentials } = await hostFacts(await loadedWith(model, variables));
  expect(missingCredentials).toContain(text);
});

test("the chosen model is the first of those that can be chosen, and appears once", async () => {
  const models = await hostModels(await loadedWith("anthropic/claude-sonnet-4-5", KEY));
  expect(models[0]).toMatchObject({
    id: "anthropic/claude-sonnet-4-5",
    name: "claude-sonnet-4-5 (Anthropic)",
    description: expect.stringMatching(/^(\d+k|\d+M) tokens fit$/),
  });
  expect(models.filter(({ id }) => id === "anthropic/claude-sonnet-4-5")).toHaveLength(1);
  expect(models.length).toBeGreaterThan(3);
  expect(models.every(({ id }) => id.startsWith("anthropic/"))).toBe(true);
});

test("without a key there is only the chosen model, whoever serves it", async () => {
  const id = "scripted//tmp/script.json";
  expect(await hostModels(await loadedWith(id))).toEqual([{ id, name: id }]);
  expect(await hostModels(await loadedWith(undefined))).toEqual([]);
  expect(await hostModels(await loadedWith("builtin/recall"))).toEqual([]);
});
