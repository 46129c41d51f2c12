import { describe, expect, test } from "vitest";
import { loadCapabilities } from "../../src/capabilities.ts";
import { THOUGHT_LEVELS } from "../../src/index.ts";
import { parseModelId } from "../../src/model-id.ts";
import { thoughtLevelsOf } from "../../src/reasoning/level-rows.ts";

const of = (id: string) => thoughtLevelsOf(parseModelId(id))?.join(" ");

describe("which levels models take", () => {
  test.each([
    ["o3", "low medium high"],
    ["o4-mini-2025-04-16", "low medium high"],
    ["gpt-5", "minimal low medium high"],
    ["openai/responses/gpt-5-nano", "minimal low medium high"],
    ["gpt-5.1-2025-11-13", "none low medium high"],
    ["gpt-5.1-codex-max", "low medium high xhigh"],
    ["gpt-5.5-pro", "medium high xhigh"],
    ["gpt-6-sol", "none low medium high xhigh max"],
    ["gpt-6.1-sol", "low medium high xhigh max"],
    ["azure/chat/gpt-5.4-mini", "none low medium high xhigh"],
    ["claude-haiku-4-5", "none low medium high"],
    ["anthropic/claude-opus-4-20250514", "none low medium high"],
    ["claude-sonnet-4-6", "none low medium high max"],
    ["claude-opus-5", "none low medium high xhigh max"],
    ["claude-fable-5-1", "low medium high xhigh max"],
    ["vertex_ai/claude-sonnet-4-5@20250929", "none low medium high"],
    ["bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", "low medium high"],
    ["bedrock/converse/eu.anthropic.claude-opus-5-5", "low medium high xhigh"],
    ["gemini-2.5-pro", "low medium high"],
    ["gemini/gemini-3-flash-preview", "minimal low medium high"],
    ["vertex_ai/gemini-3.1-pro-preview", "low medium high"],
    ["groq/openai/gpt-oss-120b", "low medium high"],
    ["ollama/gpt-oss:20b", "low medium high"],
    ["mistral/mistral-medium-3.5", "none high"],
    ["deepseek/deepseek-v4-pro", "none low high max"],
  ])("%s: %s", (id, levels) => {
    expect(of(id)).toBe(levels);
  });

  test.each([
    "gpt-4.1",
    "gpt-5-chat-latest",
    "gpt-5-pro",
    "o3-deep-research",
    "claude-3-haiku-20240307",
    "gemini-2.0-flash",
    "ollama/qwen3",
    "openai_compatible/gpt-5",
    "openrouter/openai/gpt-5.1",
    "openai/constructor",
    "bedrock/amazon.nova-pro-v1:0",
  ])("%s: nothing is known, and nothing is offered", (id) => {
    expect(of(id)).toBeUndefined();
  });

  test("levels stand in their order, and models with levels are among those that reason", async () => {
    const { providers } = await loadCapabilities();
    let known = 0;
    for (const [provider, table] of Object.entries(providers)) {
      for (const [model, row] of Object.entries(table)) {
        const levels = thoughtLevelsOf({ provider, model });
        if (levels === undefined) continue;
        known += 1;
        expect(levels.length).toBeGreaterThan(1);
        expect(THOUGHT_LEVELS.filter((level) => levels.includes(level))).toEqual(levels);
        // The table forgets it for some of those that others serve.
        if (["openai", "anthropic", "gemini"].includes(provider)) {
          expect([model, row[4]]).toEqual([model, expect.stringContaining("r")]);
        }
      }
    }
    expect(known).toBeGreaterThan(200);
  });
});
