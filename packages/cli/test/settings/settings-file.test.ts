import { mkdir, writeFile } from "node:fs/promises";
import { AcumenError } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exitCodeOf } from "../../src/exit-code.ts";
import { parseSettings } from "../../src/settings/parse-settings.ts";
import { readSettingsFile } from "../../src/settings/settings-file.ts";

const PATH = "/home/config.json";

function faultOf(text: string): AcumenError {
  try {
    parseSettings(PATH, text);
  } catch (error) {
    if (AcumenError.isInstance(error)) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

test("comments, trailing commas and every setting are read", () => {
  const text = `{
    // for editors
    "$schema": "config.schema.json",
    "model": "anthropic/claude-sonnet-4-5", /* the usual one */
    "endpoints": { "ollama": "http://127.0.0.1:11434", },
  }`;
  expect(parseSettings(PATH, text)).toEqual({
    $schema: "config.schema.json",
    model: "anthropic/claude-sonnet-4-5",
    endpoints: { ollama: "http://127.0.0.1:11434" },
  });
  expect(parseSettings(PATH, '{"model":"builtin/recall"}').model).toBe("builtin/recall");
});

test("a missing file is an empty one, and a byte order mark is no fault", async () => {
  await using folder = await tempFolder();
  const path = folder.join("config.json");
  expect(await readSettingsFile(path)).toEqual({ path, text: undefined, settings: {} });
  await writeFile(path, '\uFEFF{"model":"gpt-4o"}');
  expect((await readSettingsFile(path)).settings).toEqual({ model: "gpt-4o" });
});

test.each([
  ["a folder", (path: string) => mkdir(path), "is not a regular file"],
  ["a file over 256 KiB", (path: string) => writeFile(path, " ".repeat(300_000)), "300000 bytes"],
])("%s in the place of the file is a fault of the configuration", async (_case, make, reason) => {
  await using folder = await tempFolder();
  const path = folder.join("config.json");
  await make(path);
  const failure: unknown = await readSettingsFile(path).catch((error: unknown) => error);
  if (!AcumenError.isInstance(failure)) throw failure;
  expect(failure).toMatchObject({ code: "CLI_SETTINGS_FILE_INVALID", details: { path } });
  expect(failure.message).toContain(path);
  expect(failure.message).toContain(reason);
  expect(exitCodeOf(failure)).toBe(2);
});

describe("a file is refused with its place", () => {
  test.each([
    [
      "an unknown setting",
      '{\n  "modle": "gpt-4o"\n}',
      '2:3: "modle" is no setting. Did you mean "model"?',
    ],
    [
      "a setting like no other",
      '{"zzz": 1}',
      '1:2: "zzz" is no setting. There is $schema, model, thoughtLevel, mode, permissions, limits, learning, env, mcp, endpoints.',
    ],
    [
      "an unknown provider",
      '{"endpoints":{"olama":"http://a"}}',
      '1:15: "olama" is no provider. Did you mean "ollama"?',
    ],
    ["a setting of another type", '{"model": 3}', '1:2: "model" must be a JSON string.'],
    ["a list", "[]", "1:1: the file must be a JSON object."],
    ["an unknown model prefix", '{"model": "opnai/x"}', 'unknown prefix "opnai"'],
    [
      "a model that replays a file",
      '{"model": "scripted/a.json"}',
      "--model and ACUMEN_MODEL alone",
    ],
    [
      "an address that is none",
      '{"endpoints":{"ollama":"localhost"}}',
      '"endpoints.ollama": is no URL',
    ],
    ["another protocol", '{"endpoints":{"ollama":"file:///x"}}', "must begin with http"],
    ["a query", '{"endpoints":{"gemini":"https://a/?key=x"}}', "must end before any ?"],
    ["a comma too few", '{"model": "gpt-4o"\n "endpoints": {}}', "2:2: comma expected."],
    ["an empty file", "", "value expected"],
    [
      "a key that stands twice",
      '{"model":"gpt-4o",\n"model":"o3"}',
      '2:1: "model" stands here a second time.',
    ],
    ["__proto__", '{"__proto__": {}}', '1:2: "__proto__" cannot be a key.'],
    ["nesting without end", "[".repeat(200_000), "nests too deep"],
  ])("for %s", (_case, text, expected) => {
    const { code, message } = faultOf(text);
    expect(code).toBe("CLI_SETTINGS_FILE_INVALID");
    expect(message).toContain(`${PATH}:`);
    expect(message).toContain(expected);
  });
});

test("a key in the settings is refused without repeating it, and told where it belongs", () => {
  for (const text of [
    '{"apiKey": "sk-canary"}',
    '{"endpoints": {"OPENAI_API_KEY": "sk-canary"}}',
    '{"endpoints": {"ollama": "http://me:sk-canary@127.0.0.1/"}}',
  ]) {
    const { message, details } = faultOf(text);
    expect(message).toContain("acumen setup");
    expect(message + JSON.stringify(details)).not.toContain("sk-canary");
  }
});

test("whatever stands in a file, it is accepted or refused by its code", () => {
  const piece = fc.constantFrom(
    ...Array.from('{}[]",:/*\n '),
    '"model"',
    '"gpt-4o"',
    '"endpoints"',
    "1",
    "null",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece).map((parts) => parts.join("")),
        fc.json(),
      ),
      (text) => {
        try {
          parseSettings(PATH, text);
        } catch (error) {
          expect(AcumenError.isInstance(error) && error.code).toBe("CLI_SETTINGS_FILE_INVALID");
        }
      },
    ),
  );
});
