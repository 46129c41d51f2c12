import { defaultMaxOutputTokens } from "@acumen/models";
import { describe, expect, it } from "vitest";
import { estimateTokens, ModelReflector, Skillbook } from "../../src/index.ts";
import { reflectorInput } from "../roles/model/sample-inputs.ts";
import { stubModel, stubModelWith } from "../roles/model/stub-model.ts";

function bookOf(count: number): Skillbook {
  const book = new Skillbook();
  book.apply(
    Array.from({ length: count }, (_, i) => ({
      type: "ADD",
      section: `part ${i % 9}`,
      content: `When module${i} misbehaves, read the log of module${i} and restart worker${i % 50} before anything else.`,
    })),
  );
  return book;
}

describe("weak point 27: the whole book goes into every prompt", () => {
  it.each([10, 1_000, 5_000])(
    "%i skills take at most 4,000 tokens, and the one asked for is among them",
    (count) => {
      const book = bookOf(count);
      const wanted = `module${count - 3}`;
      const prompt = book.asContext(`What to do when ${wanted} fails?`);
      expect(estimateTokens(prompt)).toBeLessThanOrEqual(4_000);
      expect(prompt).toContain(wanted);
    },
  );

  it("a caller's budget holds, also one that nothing fits in", () => {
    const book = bookOf(1_000);
    for (const budget of [2_000, 500, 150]) {
      expect(estimateTokens(book.asContext("module7", { budget }))).toBeLessThanOrEqual(budget);
    }
    expect(book.asContext("module7", { budget: 10 })).toContain("(empty skillbook)");
  });

  it("one skill as long as a skill may be can't break the budget", () => {
    const book = bookOf(1_000);
    book.apply([{ type: "ADD", section: "long", content: "日".repeat(2_000) }]);
    book.apply([{ type: "ADD", section: "long", content: "module7 ".repeat(240) }]);
    expect(estimateTokens(book.asContext("日 module7", { budget: 1_000 }))).toBeLessThanOrEqual(
      1_000,
    );
  });

  it("the printed order is that of creation, so that a growing prompt keeps its beginning", () => {
    const book = bookOf(20);
    const before = book.asContext("module3");
    book.apply([{ type: "ADD", section: "a", content: "A late lesson" }]);
    const rows = (text: string): string[] => text.split("\n").slice(3, -1);
    expect(rows(book.asContext("something else")).slice(0, 20)).toEqual(rows(before));
  });
});

describe("weak point 27: an output limit of 2,048 tokens cuts the reflector's JSON", () => {
  const day = "2026-01-01";

  it("the default is the model's own, and at least twice as much where nothing is known", async () => {
    const model = stubModel({ reasoning: "r", correct_approach: "c", key_insight: "k" });
    await new ModelReflector(model).reflect(reflectorInput());
    expect(model.requests[0]).not.toHaveProperty("maxOutputTokens");
    expect(defaultMaxOutputTokens({ snapshotDate: day })).toBeGreaterThanOrEqual(4_096);
    const large = { snapshotDate: day, maxOutputTokens: 64_000 };
    expect(defaultMaxOutputTokens(large)).toBeGreaterThanOrEqual(8_192);
    expect(defaultMaxOutputTokens({ ...large, reasoning: true })).toBeGreaterThanOrEqual(32_000);
  });

  it.each([
    ["length", "invalid_output", /output limit/],
    ["content-filter", "content_filter", /content policy/],
  ] as const)(
    "a reflection that ends by %s is an error of kind %s and no lesson",
    async (finishReason, kind, message) => {
      const model = stubModelWith({ finishReason }, '{"reasoning": "Case 2: the agent');
      await expect(new ModelReflector(model).reflect(reflectorInput())).rejects.toMatchObject({
        code: "MODEL_FAILED",
        message: expect.stringMatching(message),
        details: { kind },
      });
    },
  );
});
