import { describe, expect, it } from "vitest";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { statsRecord } from "../../src/skillbook/stats.ts";

describe("stats", () => {
  it("count active skills only, by section and tag, and say how many are left out of prompts", () => {
    const book = new Skillbook();
    const tag = (skillId: string, name: string, times: number): unknown[] =>
      Array.from({ length: times }, () => ({ type: "TAG", skillId, tag: name }));
    book.apply([
      { type: "ADD", section: "a", content: "one" },
      { type: "ADD", section: "a", content: "two" },
      { type: "ADD", section: "b", content: "three" },
      { type: "ADD", section: "c", content: "four" },
      ...tag("a-00001", "helpful", 2),
      ...tag("a-00001", "harmful", 3),
      ...tag("a-00002", "harmful", 2),
      ...tag("b-00003", "neutral", 1),
      ...tag("c-00004", "helpful", 5),
      { type: "REMOVE", skillId: "c-00004" },
    ]);
    expect(book.stats()).toEqual({
      sections: 2,
      skills: 3,
      invalid: 1,
      bySection: { a: 2, b: 1 },
      tags: { helpful: 2, harmful: 5, neutral: 1 },
      leftOut: 1,
      revision: 1,
    });
    expect(statsRecord(book.stats())).toEqual({
      sections: 2,
      skills: 3,
      invalid: 1,
      by_section: { a: 2, b: 1 },
      tags: { helpful: 2, harmful: 5, neutral: 1 },
      revision: 1,
      left_out: 1,
    });
    expect(book.asContext("q")).not.toContain("a-00001");
    expect(book.asContext("q")).toContain("a-00002");
  });

  it("of an empty book are zeros", () => {
    expect(statsRecord(new Skillbook().stats())).toEqual({
      sections: 0,
      skills: 0,
      invalid: 0,
      by_section: {},
      tags: { helpful: 0, harmful: 0, neutral: 0 },
      revision: 0,
      left_out: 0,
    });
  });
});
