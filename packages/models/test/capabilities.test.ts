import { describe, expect, test } from "vitest";
import { capabilitiesOf, defaultMaxOutputTokens, loadCapabilities } from "../src/capabilities.ts";
import { MODEL_PREFIXES, parseModelId } from "../src/index.ts";

const snapshot = await loadCapabilities();
const of = (id: string) => capabilitiesOf(parseModelId(id), snapshot);

describe("the table of capabilities", () => {
  test("is dated, says its source, and has rows of known providers only", () => {
    expect(snapshot.snapshotDate).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(snapshot.source).toContain("MIT");
    const rows = Object.values(snapshot.providers).flatMap((table) => Object.values(table));
    expect(rows.length).toBeGreaterThan(1_000);
    for (const prefix of Object.keys(snapshot.providers)) expect(MODEL_PREFIXES).toContain(prefix);
    for (const [window, output, input, price, flags] of rows) {
      for (const value of [window, output, input, price]) {
        expect(value === null || (Number.isFinite(value) && value > 0)).toBe(true);
      }
      expect(flags).toMatch(/^v?r?$/);
    }
  });

  test("knows the models that the documentation names", () => {
    expect(of("gpt-4o-mini")).toEqual({
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
      vision: true,
      reasoning: false,
      inputPrice: 0.15,
      outputPrice: 0.6,
      snapshotDate: snapshot.snapshotDate,
    });
    expect(of("bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0")).toMatchObject({
      contextWindow: 200_000,
      reasoning: true,
    });
    expect(of("gemini/gemini-2.5-pro")).toMatchObject({ contextWindow: 1_048_576 });
  });

  test.each([
    ["gpt-4o-mini-2031-01-01", "gpt-4o-mini"],
    ["ft:gpt-4o-mini:acme::x1", "gpt-4o-mini"],
    ["openai/responses/gpt-5.1", "gpt-5.1"],
    ["claude-haiku-4-5@20260101", "claude-haiku-4-5"],
    ["openrouter/anthropic/claude-haiku-4.5", "claude-haiku-4-5"],
    ["openrouter/google/gemini-2.5-pro", "gemini-2.5-pro"],
    ["openrouter/openai/gpt-4o-mini:free", "gpt-4o-mini"],
  ])("%s has the capabilities of %s", (id, same) => {
    const { thoughtLevels, ...others } = of(same);
    // How OpenRouter is told them was never tried.
    const levels = id.startsWith("openrouter/") ? undefined : thoughtLevels;
    expect(of(id)).toEqual({ ...others, ...(levels && { thoughtLevels: levels }) });
    expect(of(id).contextWindow).toBeGreaterThan(0);
  });

  test.each([
    "gpt-4o-miniature",
    "gpt-99",
    "ollama/my-own",
    "openai_compatible/x",
    "openai/constructor",
    "openrouter/nobody/gpt-4o",
    "openrouter/auto",
  ])("%s is in no table, and nothing is guessed", (id) => {
    expect(of(id)).toEqual({ snapshotDate: snapshot.snapshotDate });
  });
});

test("an output limit that suits the model", () => {
  const snapshotDate = "2026-01-01";
  expect(defaultMaxOutputTokens({ snapshotDate })).toBe(4_096);
  expect(defaultMaxOutputTokens({ snapshotDate, maxOutputTokens: 2_048 })).toBe(2_048);
  expect(defaultMaxOutputTokens({ snapshotDate, maxOutputTokens: 100_000 })).toBe(8_192);
  expect(defaultMaxOutputTokens({ snapshotDate, maxOutputTokens: 100_000, reasoning: true })).toBe(
    32_768,
  );
});
