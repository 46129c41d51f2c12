import fc from "fast-check";
import { expect, test } from "vitest";
import { plainSettings } from "../../src/settings/plain-settings.ts";
import { settingsSchema } from "../../src/settings/settings-schema.ts";

const SETTINGS = {
  $schema: "config.schema.json",
  model: "anthropic/claude-sonnet-4-5",
  mode: "safe",
  endpoints: { ollama: "http://127.0.0.1:11434" },
};

test("what `acumen setup` writes needs no schema", () => {
  expect(plainSettings({})).toEqual({});
  expect(plainSettings(SETTINGS)).toEqual(SETTINGS);
});

test.each([
  [null],
  [[]],
  ["text"],
  [{ learning: { mode: "off" } }],
  [{ modle: "ollama/a" }],
  [{ toString: "x" }],
  [{ model: "nonsense/x" }],
  [{ model: 1 }],
  [{ mode: "wild" }],
  [{ endpoints: { nobody: "http://a" } }],
  [{ endpoints: { ollama: "ftp://a" } }],
  [{ endpoints: { ollama: 1 } }],
  [{ endpoints: [] }],
])("%j is left to the schema", (value) => {
  expect(plainSettings(value)).toBeUndefined();
});

test("what needs no schema is what the schema would make of it", () => {
  const text = fc.constantFrom(
    "ollama/a",
    "gpt-4o",
    "builtin/recall",
    "safe",
    "http://a/v1",
    "",
    "x",
  );
  const part = fc.oneof(text, fc.jsonValue(), fc.dictionary(fc.constantFrom("ollama", "x"), text));
  const keys = fc.constantFrom(...Object.keys(SETTINGS), "limits", "__proto__", "constructor");
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(keys, part), fc.jsonValue()), (value) => {
      const plain = plainSettings(value);
      if (plain !== undefined) expect(settingsSchema.parse(value)).toEqual(plain);
    }),
    { numRuns: 500 },
  );
});
