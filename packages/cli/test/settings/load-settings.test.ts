import { mkdir, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { writeStoredKeys } from "../../src/settings/credentials.ts";
import { homeOf } from "../../src/settings/home.ts";
import { loadSettings } from "../../src/settings/load-settings.ts";

test("later layers win: settings file, environment, flag", async () => {
  await using home = await tempFolder();
  const variables = { ACUMEN_HOME: home.path };
  expect((await loadSettings(variables, {})).model).toBeUndefined();
  await writeFile(home.join("config.json"), '{"model":"gpt-4o"}');
  const model = async (more: Record<string, string>, flag?: string): Promise<unknown> =>
    (await loadSettings({ ...variables, ...more }, flag === undefined ? {} : { model: flag }))
      .model;
  expect(await model({})).toEqual({ id: "gpt-4o", source: "settings" });
  expect(await model({ ACUMEN_MODEL: " " })).toEqual({ id: "gpt-4o", source: "settings" });
  expect(await model({ ACUMEN_MODEL: "o3" })).toEqual({ id: "o3", source: "environment" });
  expect(await model({ ACUMEN_MODEL: "o3" }, "scripted/a.json")).toEqual({
    id: "scripted/a.json",
    source: "flag",
  });
});

test("--config is another settings file; keys stay where they are", async () => {
  await using home = await tempFolder();
  await writeFile(home.join("other.json"), '{"model":"o3"}');
  await writeStoredKeys(home.join("credentials.json"), { OPENAI_API_KEY: "stored" });
  const loaded = await loadSettings(
    { ACUMEN_HOME: home.path },
    { config: home.join("other.json") },
  );
  expect(loaded.model?.id).toBe("o3");
  expect(loaded.modelVariables["OPENAI_API_KEY"]).toBe("stored");
  await expect(
    loadSettings({ ACUMEN_HOME: home.path }, { config: home.join("none.json") }),
  ).rejects.toMatchObject({ code: "CLI_USAGE" });
});

test("keys that cannot be used are told apart from no keys; a broken file only when tolerated", async () => {
  await using home = await tempFolder();
  const variables = { ACUMEN_HOME: home.path };
  await writeFile(home.join("credentials.json"), "{}", { mode: 0o600 });
  const { credentialsFault, stored } = await loadSettings(variables, {});
  expect({ code: credentialsFault?.code, stored }).toEqual({
    code: "CLI_CREDENTIALS_INVALID",
    stored: {},
  });
  await writeFile(home.join("config.json"), "{");
  await expect(loadSettings(variables, {})).rejects.toMatchObject({
    code: "CLI_SETTINGS_FILE_INVALID",
  });
  const { settings, settingsFault } = await loadSettings(variables, {}, { tolerant: true });
  expect({ settings, code: settingsFault?.code }).toEqual({
    settings: {},
    code: "CLI_SETTINGS_FILE_INVALID",
  });
});

test("the settings of a workspace are not read", async () => {
  await using folder = await tempFolder();
  await mkdir(folder.join(".acumen"));
  await writeFile(folder.join(".acumen", "config.json"), '{"model":"o3"}');
  const loaded = await loadSettings({ ACUMEN_HOME: folder.join("home") }, {});
  expect(loaded.model).toBeUndefined();
});

test("the home is absolute, by default below the user's", () => {
  expect(homeOf({ ACUMEN_HOME: "/a" })).toEqual({
    folder: "/a",
    settingsPath: "/a/config.json",
    credentialsPath: "/a/credentials.json",
  });
  expect(homeOf({}).folder).toMatch(/\/\.acumen$/);
  expect(() => homeOf({ ACUMEN_HOME: "home" })).toThrow(/ACUMEN_HOME.*absolute/);
});

test("an unknown model names the variable or flag it came from", async () => {
  await using home = await tempFolder();
  const variables = { ACUMEN_HOME: home.path };
  await expect(loadSettings({ ...variables, ACUMEN_MODEL: "x" }, {})).rejects.toMatchObject({
    code: "CLI_SETTING_INVALID",
    message: expect.stringContaining("ACUMEN_MODEL: "),
  });
  await expect(loadSettings(variables, { model: "x" })).rejects.toMatchObject({
    code: "CLI_USAGE",
    message: expect.stringContaining("--model: "),
  });
});
