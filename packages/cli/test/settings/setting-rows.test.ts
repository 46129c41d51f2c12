import { expect, test } from "vitest";
import { SETTING_ROWS, settingsJsonSchema } from "../../src/index.ts";

test("every setting of the file has a row, every row a meaning", () => {
  const { properties } = settingsJsonSchema() as { properties: Record<string, unknown> };
  const settings = SETTING_ROWS.map(({ setting }) => setting).filter(Boolean);
  const groups = settings.map((setting) => setting.split(".")[0]);
  expect([...new Set(groups)]).toEqual(Object.keys(properties));
  expect(settings).toEqual(
    expect.arrayContaining([
      "model",
      "permissions.deny",
      "limits.maxSteps",
      "env.pass",
      "endpoints",
    ]),
  );
  for (const { meaning } of SETTING_ROWS) expect(meaning).toMatch(/\.$/);
});

test("the schema for editors is as strict as the file: nothing unknown at any level", () => {
  expect(settingsJsonSchema()).toMatchObject({
    type: "object",
    additionalProperties: false,
    properties: { endpoints: { type: "object", additionalProperties: false } },
  });
  expect(settingsJsonSchema()).not.toHaveProperty("required");
});
