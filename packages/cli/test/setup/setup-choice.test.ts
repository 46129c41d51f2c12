import { PROVIDERS, type ProviderRow } from "@acumen/models";
import { expect, test } from "vitest";
import { keysFromVariable } from "../../src/setup/key-source.ts";
import { variablesWith, winningVariables } from "../../src/setup/setup-choice.ts";
import { CANARY } from "../support/canary.ts";

function row(prefix: string): ProviderRow {
  const found = PROVIDERS.find((provider) => provider.prefix === prefix);
  if (found === undefined) throw new Error(prefix);
  return found;
}

test("what is new is tried even where the environment would win", () => {
  const sources = {
    variables: { OPENAI_API_KEY: "env", OPENAI_BASE_URL: "http://env", PATH: "/bin" },
    settings: { model: "o3" },
    stored: { OPENAI_API_KEY: "old" },
  };
  const choice = { model: "gpt-4o", baseUrl: "http://new", keys: { OPENAI_API_KEY: "new" } };
  expect(variablesWith(sources, choice)).toEqual({
    PATH: "/bin",
    OPENAI_API_KEY: "new",
    OPENAI_BASE_URL: "http://new",
  });
  expect(variablesWith(sources, { model: "gpt-4o" })).toEqual(sources.variables);
});

test("variables that will win over the files are named", () => {
  const choice = { model: "gpt-4o", baseUrl: "http://new", keys: { OPENAI_API_KEY: "new" } };
  expect(winningVariables({ ACUMEN_MODEL: "o3", OPENAI_API_KEY: "env" }, choice)).toEqual([
    "OPENAI_API_KEY",
    "ACUMEN_MODEL",
  ]);
  expect(winningVariables({ ACUMEN_MODEL: "gpt-4o", OPENAI_API_KEY: "new" }, choice)).toEqual([]);
});

test("a key from a variable is stored under the provider's own name", () => {
  const variables = { MY_SECRET: ` ${CANARY}\n`, ANTHROPIC_AUTH_TOKEN: "token" };
  expect(keysFromVariable(row("anthropic"), "MY_SECRET", variables)).toEqual({
    ANTHROPIC_API_KEY: CANARY,
  });
  expect(keysFromVariable(row("anthropic"), "ANTHROPIC_AUTH_TOKEN", variables)).toEqual({
    ANTHROPIC_AUTH_TOKEN: "token",
  });
});

test("an AWS key id brings its secret along", () => {
  const variables = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
  expect(keysFromVariable(row("bedrock"), "AWS_ACCESS_KEY_ID", variables)).toEqual(variables);
});

test("a key in the place of a variable's name is not repeated", () => {
  for (const name of [CANARY, `${CANARY}`.toUpperCase().replaceAll("-", "")]) {
    const read = (): unknown => keysFromVariable(row("openai"), name, {});
    expect(read).toThrow(/is not set/);
  }
  expect(() => keysFromVariable(row("openai"), CANARY, {})).toThrow(/never the key/);
  expect(() => keysFromVariable(row("openai"), CANARY, {})).not.toThrow(CANARY);
});
