import { startModelServer } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { guidedChoice } from "../../src/setup/guided.ts";
import type { Prompts } from "../../src/terminal/prompts.ts";
import { CANARY } from "../support/canary.ts";

const NOTHING = { variables: {}, settings: {}, stored: {} };
const SIGNAL = new AbortController().signal;

interface Script {
  readonly prompts: Prompts;
  /** Kind and message of each question. */
  readonly asked: string[];
  readonly said: string[];
}

/** A person who gives these answers; one that is not accepted is an error of the test. */
function person(...answers: (string | boolean)[]): Script {
  const asked: string[] = [];
  const said: string[] = [];
  const next = (kind: string, message: string, validate?: (text: string) => string | undefined) => {
    asked.push(`${kind}: ${message}`);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`no answer for: ${message}`);
    const fault = validate?.(String(answer));
    if (fault !== undefined) throw new Error(`refused: ${fault}`);
    return Promise.resolve(answer);
  };
  return {
    asked,
    said,
    prompts: {
      say: (text) => said.push(text),
      select: ({ message }) => next("select", message) as Promise<string>,
      text: ({ message, validate }) => next("text", message, validate) as Promise<string>,
      secret: ({ message, validate }) => next("secret", message, validate) as Promise<string>,
      confirm: ({ message }) => next("confirm", message) as Promise<boolean>,
    },
  };
}

describe("asks what is needed", () => {
  test("provider, model and key of a service", async () => {
    const { prompts, asked } = person("anthropic", "claude-opus-5", CANARY, false);
    const { choice, pong } = await guidedChoice(prompts, NOTHING, SIGNAL);
    expect({ choice, pong }).toEqual({
      choice: { model: "anthropic/claude-opus-5", keys: { ANTHROPIC_API_KEY: CANARY } },
      pong: undefined,
    });
    expect(asked.map((question) => question.split(":")[0])).toEqual([
      "select",
      "text",
      "secret",
      "confirm",
    ]);
    expect(asked.join("\n")).not.toContain(CANARY);
  });

  test("no key when one is there already", async () => {
    const sources = { ...NOTHING, variables: { OPENAI_API_KEY: CANARY } };
    const { prompts } = person("openai", "openai/gpt-5", true, false);
    expect((await guidedChoice(prompts, sources, SIGNAL)).choice).toEqual({
      model: "openai/gpt-5",
    });
  });

  test("address and model of a local server; the usual address is not written down", async () => {
    const own = person("ollama", "http://10.0.0.7:11434", "qwen3", false);
    expect((await guidedChoice(own.prompts, NOTHING, SIGNAL)).choice).toEqual({
      model: "ollama/qwen3",
      baseUrl: "http://10.0.0.7:11434",
    });
    const usual = person("ollama", "http://127.0.0.1:11434/v1", "qwen3", false);
    expect((await guidedChoice(usual.prompts, NOTHING, SIGNAL)).choice).toEqual({
      model: "ollama/qwen3",
    });
  });

  test("nothing more for the embedded model", async () => {
    const { prompts } = person("builtin/recall");
    expect((await guidedChoice(prompts, NOTHING, SIGNAL)).choice).toEqual({
      model: "builtin/recall",
    });
  });
});

describe("tries the model", () => {
  test("and goes on when it answers", async () => {
    await using server = await startModelServer({
      wire: "openai-compatible",
      script: [{ text: "OK" }],
    });
    const { prompts, said } = person("ollama", server.baseUrl, "qwen3", true);
    const { pong } = await guidedChoice(prompts, NOTHING, SIGNAL);
    expect(pong?.milliseconds).toBeGreaterThanOrEqual(0);
    expect(said.join("\n")).toContain("It answered");
  });

  test.each([false, true])("and asks whether to write when it fails: %s", async (anyway) => {
    await using server = await startModelServer({
      wire: "openai-compatible",
      script: [{ fault: "500" }],
    });
    const { prompts, said } = person("ollama", server.baseUrl, "qwen3", true, anyway);
    const result = guidedChoice(prompts, NOTHING, SIGNAL);
    if (anyway) expect((await result).pong).toBeUndefined();
    else await expect(result).rejects.toMatchObject({ code: "MODEL_FAILED" });
    expect(said.join("\n")).toContain("HTTP 500");
  });
});
