import { describe, expect, it } from "vitest";
import { Skillbook, statsRecord } from "../../src/index.ts";

describe("weak point 14: statistics count removed skills, and nothing says which those are", () => {
  it("skills and sections count active ones, invalid the others, and each skill says its status", () => {
    const book = new Skillbook();
    book.apply([
      { type: "ADD", section: "a", content: "one" },
      { type: "ADD", section: "b", content: "two" },
      { type: "TAG", skillId: "b-00002", tag: "helpful" },
      { type: "REMOVE", skillId: "b-00002" },
    ]);
    expect(statsRecord(book.stats())).toMatchObject({
      skills: 1,
      sections: 1,
      invalid: 1,
      by_section: { a: 1 },
      tags: { helpful: 0 },
    });
    const all = book.skills({ includeInvalid: true });
    expect(all.map(({ id, status }) => [id, status])).toEqual([
      ["a-00001", "active"],
      ["b-00002", "invalid"],
    ]);
  });

  it("one removed and one added is not nothing: the report and the revision tell", () => {
    const book = new Skillbook();
    book.apply([{ type: "ADD", section: "a", content: "one" }]);
    const report = book.apply([
      { type: "REMOVE", skillId: "a-00001" },
      { type: "ADD", section: "a", content: "two" },
    ]);
    expect(report.applied.map(({ type }) => type)).toEqual(["REMOVE", "ADD"]);
    expect(report.revision).toBe(2);
  });
});
