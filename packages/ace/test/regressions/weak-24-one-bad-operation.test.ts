import { describe, expect, it } from "vitest";
import { Skillbook } from "../../src/index.ts";

describe("weak point 24: one bad operation voids or half-applies a batch", () => {
  it.each([
    ["a missing type", { section: "a", content: "x" }],
    ["an unknown type", { type: "REPLACE", section: "a", content: "x" }],
    [
      "a counter that is no number",
      { type: "TAG", skill_id: "a-00001", metadata: { helpful: "lots" } },
    ],
    ["a missing id", { type: "UPDATE", content: "x" }],
    ["an unknown id", { type: "REMOVE", skill_id: "a-00099" }],
    ["no object", null],
    ["a content that is no text", { type: "ADD", section: "a", content: { text: "x" } }],
  ])("%s is skipped with a reason, the others apply in one step", (_, bad) => {
    const book = new Skillbook();
    book.apply([{ type: "ADD", section: "a", content: "zero" }]);
    const report = book.apply([
      { type: "ADD", section: "a", content: "one" },
      bad,
      { type: "ADD", section: "a", content: "two" },
    ]);
    expect(report.applied.map(({ index }) => index)).toEqual([0, 2]);
    expect(report.skipped).toHaveLength(1);
    expect(report.skipped[0]).toMatchObject({ index: 1 });
    expect(report.skipped[0]?.message).not.toBe("");
    expect(report.revision).toBe(2);
    expect(book.skills().map(({ content }) => content)).toEqual(["zero", "one", "two"]);
  });

  it("odd indexes and metadata of a model do not matter", () => {
    const book = new Skillbook();
    const { applied } = book.apply([
      {
        type: "Add",
        section: "a",
        content: "one",
        reflection_index: "first",
        reflection_indices: "none",
        learning_index: {},
        metadata: { helpful: null, status: "invalid" },
      },
    ]);
    expect(applied).toHaveLength(1);
    expect(book.get("a-00001")).toMatchObject({ status: "active", helpful: 0 });
  });
});
