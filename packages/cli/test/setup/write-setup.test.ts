import { lstat, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { readStoredKeys, writeStoredKeys } from "../../src/settings/credentials.ts";
import { homeOf } from "../../src/settings/home.ts";
import { readSettingsFile } from "../../src/settings/settings-file.ts";
import { writeSetup } from "../../src/setup/write-setup.ts";
import { CANARY, filesWithCanary } from "../support/canary.ts";

test("writes both files for their owner alone and tells what, without the key", async () => {
  await using folder = await tempFolder();
  const home = homeOf({ ACUMEN_HOME: folder.join("deep", "home") });
  const written = await writeSetup(home, {
    model: "openai/gpt-5",
    baseUrl: "http://127.0.0.1:1/v1",
    keys: { OPENAI_API_KEY: CANARY },
  });
  expect(written).toEqual({
    settings: {
      path: home.settingsPath,
      model: "openai/gpt-5",
      endpoints: { openai: "http://127.0.0.1:1/v1" },
    },
    credentials: { path: home.credentialsPath, variables: ["OPENAI_API_KEY"] },
  });
  const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
  expect(await mode(home.folder)).toBe(0o700);
  expect(await mode(home.settingsPath)).toBe(0o600);
  expect(await mode(home.credentialsPath)).toBe(0o600);
  expect(await filesWithCanary(folder.path)).toEqual(["credentials.json"]);
  expect((await readdir(home.folder)).toSorted()).toEqual(["config.json", "credentials.json"]);
});

test("comments and other settings stay", async () => {
  await using folder = await tempFolder();
  const home = homeOf({ ACUMEN_HOME: folder.path });
  await writeFile(
    home.settingsPath,
    '{\n  // mine\n  "model": "o3", // old\n  "endpoints": { "groq": "http://a" },\n}\n',
  );
  await writeSetup(home, { model: "ollama/qwen3", baseUrl: "http://b" });
  const text = await readFile(home.settingsPath, "utf8");
  expect(text).toContain("// mine");
  expect(text).toContain('"model": "ollama/qwen3", // old');
  expect((await readSettingsFile(home.settingsPath)).settings).toEqual({
    model: "ollama/qwen3",
    endpoints: { groq: "http://a", ollama: "http://b" },
  });
  await writeSetup(home, { model: "builtin/recall" });
  expect(await readFile(home.settingsPath, "utf8")).toContain('"ollama": "http://b"');
});

test("a new key takes the place of the provider's old ones and of no other", async () => {
  await using folder = await tempFolder();
  const home = homeOf({ ACUMEN_HOME: folder.path });
  await writeStoredKeys(home.credentialsPath, { GEMINI_API_KEY: "old", OPENAI_API_KEY: "o" });
  await writeSetup(home, { model: "gemini/gemini-2.5-flash", keys: { GOOGLE_API_KEY: "new" } });
  expect(await readStoredKeys(home.credentialsPath)).toEqual({
    GOOGLE_API_KEY: "new",
    OPENAI_API_KEY: "o",
  });
});

test.each([
  ["settings file", "config.json", '{ "model": oops', "CLI_SETTINGS_FILE_INVALID"],
  ["file of keys", "credentials.json", '{"keys":', "CLI_CREDENTIALS_INVALID"],
])(
  "a broken %s keeps its content, and nothing else is written",
  async (_case, name, text, code) => {
    await using folder = await tempFolder();
    const home = homeOf({ ACUMEN_HOME: folder.path });
    await writeFile(folder.join(name), text, { mode: 0o600 });
    const choice = { model: "openai/gpt-5", keys: { OPENAI_API_KEY: CANARY } };
    await expect(writeSetup(home, choice)).rejects.toMatchObject({ code });
    expect(await readFile(folder.join(name), "utf8")).toBe(text);
    expect(await readdir(folder.path)).toEqual([name]);
  },
);

test("a settings file that is a link stays one", async () => {
  await using folder = await tempFolder();
  const home = homeOf({ ACUMEN_HOME: folder.path });
  await writeFile(folder.join("dotfile.json"), "{}");
  await symlink("dotfile.json", home.settingsPath);
  await writeSetup(home, { model: "o3" });
  expect((await lstat(home.settingsPath)).isSymbolicLink()).toBe(true);
  expect(await readFile(folder.join("dotfile.json"), "utf8")).toContain('"model": "o3"');
});

test("many at once take turns: every key is there and both files are whole", async () => {
  await using folder = await tempFolder();
  const home = homeOf({ ACUMEN_HOME: folder.path });
  const choices = [
    { model: "openai/gpt-5", keys: { OPENAI_API_KEY: "a" } },
    { model: "anthropic/claude-opus-5", keys: { ANTHROPIC_API_KEY: "b" } },
    { model: "gemini/gemini-2.5-flash", keys: { GEMINI_API_KEY: "c" } },
    { model: "groq/x", keys: { GROQ_API_KEY: "d" }, baseUrl: "http://d" },
    { model: "xai/x", keys: { XAI_API_KEY: "e" }, baseUrl: "http://e" },
  ];
  await Promise.all(choices.map((choice) => writeSetup(home, choice)));
  expect(Object.values(await readStoredKeys(home.credentialsPath)).toSorted()).toEqual(
    Array.from("abcde"),
  );
  const { settings } = await readSettingsFile(home.settingsPath);
  expect(choices.map(({ model }) => model)).toContain(settings.model);
  expect(settings.endpoints).toEqual({ groq: "http://d", xai: "http://e" });
});
