import { AcumenError } from "@acumen/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MODEL_PREFIXES, modelFailureKind, parseModelId } from "../src/index.ts";

const PREFIXES_OF_THE_CONTRACT =
  "openai anthropic gemini bedrock azure vertex_ai groq mistral deepseek xai openrouter ollama lm_studio hosted_vllm openai_compatible cohere together_ai fireworks_ai perplexity huggingface ollama_chat azure_ai nvidia_nim cerebras moonshot".split(
    " ",
  );

function failureOf(id: string): AcumenError {
  try {
    parseModelId(id);
  } catch (error) {
    if (AcumenError.isInstance(error)) return error;
    throw error;
  }
  throw new Error(`${id} was accepted`);
}

describe("model ids", () => {
  test("every prefix of the contract is known, and no other one", () => {
    expect(MODEL_PREFIXES.toSorted()).toEqual(PREFIXES_OF_THE_CONTRACT.toSorted());
    for (const prefix of MODEL_PREFIXES) {
      expect(parseModelId(`${prefix}/some/model:tag`)).toEqual({
        provider: prefix,
        model: "some/model:tag",
      });
    }
  });

  test.each([
    ["gpt-4o-mini", "openai"],
    ["o3", "openai"],
    ["o1-mini", "openai"],
    ["chatgpt-4o-latest", "openai"],
    ["ft:gpt-4o-mini:acme::id", "openai"],
    ["claude-haiku-4-5", "anthropic"],
    ["gemini-2.5-flash", "gemini"],
  ])("the bare name %s belongs to %s", (id, provider) => {
    expect(parseModelId(id)).toEqual({ provider, model: id });
  });

  test("the documentation's Bedrock id keeps its dots and colon", () => {
    expect(parseModelId("bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0")).toEqual({
      provider: "bedrock",
      model: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    });
  });

  test.each([
    "",
    " ",
    "llama3",
    "ollama",
    "orca",
    "nope/x",
    "openai/",
    "openai/ ",
    "/x",
    "a\nb",
    "gpt\u0000",
  ])("%j is refused with the list of prefixes", (id) => {
    const error = failureOf(id);
    expect(error.code).toBe("MODEL_FAILED");
    expect(modelFailureKind(error)).toBe("unknown_model");
    for (const prefix of PREFIXES_OF_THE_CONTRACT) expect(error.message).toContain(prefix);
    expect(error.message).not.toMatch(/\p{C}/u);
  });

  test.each([
    ["opnai/gpt-5", "openai/gpt-5"],
    ["Anthropic/claude-opus-4-5", "anthropic/claude-opus-4-5"],
    ["builtin/recal", "builtin/recall"],
    ["bultin/recall", "builtin/recall"],
  ])("%s is refused with the suggestion %s first", (id, meant) => {
    const { message } = failureOf(id);
    expect(message).toContain(`". Did you mean ${meant}?`);
    expect(message).toContain("openai, anthropic");
  });

  test("any text gives a result or a coded error of one bounded line", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 700 }),
      fc
        .tuple(
          fc.constantFrom(...MODEL_PREFIXES, "scripted", "__proto__", "constructor"),
          fc.string(),
        )
        .map((parts) => parts.join("/")),
    );
    fc.assert(
      fc.property(texts, (id) => {
        try {
          const { provider, model } = parseModelId(id);
          expect(model).not.toBe("");
          expect([...MODEL_PREFIXES, "scripted", "recorded"]).toContain(provider);
          expect(id.endsWith(model)).toBe(true);
        } catch (error) {
          if (!AcumenError.isInstance(error)) throw error;
          expect(modelFailureKind(error)).toBe("unknown_model");
          expect(error.message.length).toBeLessThan(1_000);
          expect(error.message).not.toMatch(/\p{C}/u);
        }
      }),
    );
  });
});
