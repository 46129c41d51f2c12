import { mkdir, symlink, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { loadSettings, modelIn } from "../../src/settings/load-settings.ts";
import { readWorkspaceSettings } from "../../src/settings/settings-file.ts";

async function read(text: string): Promise<unknown> {
  await using folder = await tempFolder();
  const path = folder.join("config.json");
  await writeFile(path, text);
  return await readWorkspaceSettings(path);
}

test("a workspace sets model, limits, and rules that ask or deny", async () => {
  const settings = {
    $schema: "x",
    model: "gpt-4o",
    permissions: { ask: ["edit"], deny: ["bash(rm *)"] },
    limits: { maxSteps: 5 },
  };
  expect(await read(`// ours\n${JSON.stringify(settings)}`)).toEqual(settings);
  expect(await readWorkspaceSettings("/nowhere/config.json")).toEqual({});
});

test.each([
  ["allow rules", '{"permissions":{"allow":["bash"]}}', '"permissions.allow" does not count'],
  ["a mode", '{"mode":"auto"}', '"mode" does not count'],
  ["even a strict mode", '{"mode":"manual"}', '"mode" does not count'],
  ["endpoints", '{"endpoints":{"openai":"http://evil"}}', '"endpoints" does not count'],
  ["environment", '{"env":{"pass":["AWS_SECRET_ACCESS_KEY"]}}', '"env" does not count'],
  ["learning", '{"learning":{"mode":"auto"}}', '"learning" does not count'],
  ["a key", '{"apiKey":"sk-canary"}', "keys do not belong here"],
  ["a model that replays a file", '{"model":"scripted/a.json"}', "--model and ACUMEN_MODEL alone"],
  ["a misspelt setting", '{"limts":{}}', 'Did you mean "limits"?'],
  ["a misspelt limit", '{"limits":{"maxStep":1}}', 'of "limits". Did you mean "maxSteps"?'],
  ["a limit that is none", '{"limits":{"maxSteps":1.5}}', "must be a whole number"],
  ["an empty rule", '{"permissions":{"deny":[""]}}', '"permissions.deny.0"'],
])("%s in a workspace is an error that names it", async (_case, text, reason) => {
  await expect(read(text)).rejects.toMatchObject({
    code: "CLI_SETTINGS_FILE_INVALID",
    message: expect.stringContaining(reason),
  });
  await expect(read(text)).rejects.not.toMatchObject({
    message: expect.stringContaining("canary"),
  });
});

test("a link is refused: what is behind it was never part of what was trusted", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.join("elsewhere.json"), "{}");
  await mkdir(folder.join(".acumen"));
  await symlink(folder.join("elsewhere.json"), folder.join(".acumen", "config.json"));
  await expect(readWorkspaceSettings(folder.join(".acumen", "config.json"))).rejects.toMatchObject({
    code: "CLI_SETTINGS_FILE_INVALID",
    message: expect.stringContaining("is a link"),
  });
});

test("a workspace's model stands between the settings file and the environment", async () => {
  await using home = await tempFolder();
  await writeFile(home.join("config.json"), '{"model":"gpt-4o"}');
  const variables = { ACUMEN_HOME: home.path };
  const workspace = { model: "o3" };
  expect(modelIn(await loadSettings(variables, {}), {})?.id).toBe("gpt-4o");
  expect(modelIn(await loadSettings(variables, {}), workspace)).toEqual({
    id: "o3",
    source: "workspace",
  });
  const said = { ...variables, ACUMEN_MODEL: "ollama/qwen3" };
  expect(modelIn(await loadSettings(said, {}), workspace)?.source).toBe("environment");
  expect(modelIn(await loadSettings(said, { model: "gpt-5" }), workspace)?.id).toBe("gpt-5");
});
