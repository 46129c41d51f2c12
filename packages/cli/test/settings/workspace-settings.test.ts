import { mkdir, symlink, writeFile } from "node:fs/promises";
import { WorkspaceTrust } from "@acumen/agent";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { loadSettings, modelIn } from "../../src/settings/load-settings.ts";
import { parseWorkspaceSettings } from "../../src/settings/parse-settings.ts";
import { workspaceFolder, workspaceSettings } from "../../src/settings/workspace-folder.ts";

function read(text: string): unknown {
  return parseWorkspaceSettings("/site/.acumen/config.json", Buffer.from(text));
}

test("a workspace sets model, limits, and rules that ask or deny", () => {
  const settings = {
    $schema: "x",
    model: "gpt-4o",
    permissions: { ask: ["edit"], deny: ["bash(rm *)"] },
    limits: { maxSteps: 5 },
  };
  expect(read(`\uFEFF// ours\n${JSON.stringify(settings)}`)).toEqual(settings);
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
  ["more than a settings file holds", " ".repeat(256 * 1024 + 1), "is larger than 256 KiB"],
])("%s in a workspace is an error that names it", (_case, text, reason) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({
      code: "CLI_SETTINGS_FILE_INVALID",
      message: expect.stringContaining(reason),
    }),
  );
  expect(() => read(text)).not.toThrow("canary");
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

test("what counts is what was trusted, not what stands there by now", async () => {
  await using folder = await tempFolder();
  const home = { folder: folder.join("home") };
  const cwd = folder.join("site");
  const path = folder.join("site", ".acumen", "config.json");
  await mkdir(folder.join("site", ".acumen"), { recursive: true });
  await writeFile(path, '{"limits":{"maxSteps":5}}');
  const trust = new WorkspaceTrust({ home: home.folder, environment: {} });
  await trust.trust(cwd);
  const { trusted, digest } = await trust.admit(cwd);
  const settings = (isTrusted: boolean) =>
    workspaceSettings({ cwd, trusted: isTrusted, digest }, { home, trust });
  expect(await settings(trusted)).toEqual({ limits: { maxSteps: 5 } });
  expect(await settings(false)).toEqual({});
  await writeFile(path, '{"limits":{"maxSteps":6}}');
  await expect(settings(trusted)).rejects.toMatchObject({ code: "AGENT_WORKSPACE_UNTRUSTABLE" });
});

test("the person's own folder is none of a workspace, by whatever name it is reached", async () => {
  await using folder = await tempFolder();
  await mkdir(folder.join(".acumen"));
  await mkdir(folder.join("site", ".acumen"), { recursive: true });
  await symlink(folder.join(".acumen"), folder.join("link"));
  for (const home of [folder.join(".acumen"), folder.join("link")]) {
    expect(await workspaceFolder(folder.path, { folder: home })).toBeUndefined();
    expect(await workspaceFolder(folder.join("site"), { folder: home })).toEqual({
      path: folder.join("site", ".acumen"),
      settingsPath: folder.join("site", ".acumen", "config.json"),
    });
  }
});
