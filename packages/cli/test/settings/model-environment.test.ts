import { PROVIDERS, type ProviderRow } from "@acumen/models";
import { expect, test } from "vitest";
import {
  keyStateOf,
  modelEnvironment,
  NO_KEY_LINES,
} from "../../src/settings/model-environment.ts";

function row(prefix: string): ProviderRow {
  const found = PROVIDERS.find((provider) => provider.prefix === prefix);
  if (found === undefined) throw new Error(prefix);
  return found;
}

test("stored keys and addresses fill in what the environment leaves open", () => {
  const env = modelEnvironment({
    variables: { PATH: "/bin", OPENAI_API_KEY: "  ", GROQ_API_KEY: "env" },
    settings: { endpoints: { ollama: "http://127.0.0.1:1", groq: "http://127.0.0.1:2" } },
    stored: { OPENAI_API_KEY: "file", GROQ_API_KEY: "file" },
  });
  expect(env).toEqual({
    PATH: "/bin",
    OPENAI_API_KEY: "file",
    GROQ_API_KEY: "env",
    OLLAMA_BASE_URL: "http://127.0.0.1:1",
    GROQ_BASE_URL: "http://127.0.0.1:2",
  });
});

test("the environment wins for a whole provider, under whichever of its names", () => {
  const sources = {
    variables: { GOOGLE_API_KEY: "env", OPENAI_API_BASE: "http://env", AWS_ACCESS_KEY_ID: "env" },
    settings: { endpoints: { openai: "http://file" } },
    stored: { GEMINI_API_KEY: "file", AWS_SECRET_ACCESS_KEY: "somebody else's" },
  };
  expect(modelEnvironment(sources)).toEqual(sources.variables);
  expect(keyStateOf(row("gemini"), sources)).toEqual({
    source: "environment",
    variable: "GOOGLE_API_KEY",
  });
});

test("where a key comes from", () => {
  const sources = { variables: {}, settings: {}, stored: { XAI_API_KEY: "file" } };
  expect(keyStateOf(row("xai"), sources)).toEqual({ source: "stored", variable: "XAI_API_KEY" });
  expect(keyStateOf(row("openai"), sources)).toEqual({ source: "missing" });
  expect(keyStateOf(row("ollama"), sources)).toEqual({ source: "not-needed" });
});

test("the way to a key takes three lines and has room to be indented", () => {
  expect(NO_KEY_LINES).toHaveLength(3);
  for (const line of NO_KEY_LINES) expect(line.length).toBeLessThanOrEqual(73);
});
