import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { loadSkillbook, Skillbook } from "../../src/index.ts";
import { fileURLToPath } from "node:url";

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/skillbooks/${name}.json`, import.meta.url));

describe("weak point 28: one odd record rejects a file, and others load with silent losses", () => {
  it("one odd record is skipped and named, the rest loads", async () => {
    const { skillbook, report } = await loadSkillbook(fixture("damaged"));
    expect(skillbook.size).toBe(6);
    expect(report.skipped.length).toBe(4);
    for (const { id, reason, message } of report.skipped) {
      expect([id, reason, message].every((text) => text !== "")).toBe(true);
    }
  });

  it.each([
    ["ace-0.6-bullets", "ace-bullets", 2],
    ["ace-0.8", "ace-0.8", 2],
    ["ace-0.9", "ace-0.9", 3],
    ["ace-v2", "ace-v2", 2],
  ])("%s loads whole, with its counters", async (name, migratedFrom, loaded) => {
    const { skillbook, report } = await loadSkillbook(fixture(name));
    expect(report).toEqual({ loaded, skipped: [], repaired: [], migratedFrom });
    const counted = /"helpful(?:_count)?": ([1-9]\d*)/.exec(await readFile(fixture(name), "utf8"));
    if (counted) expect(skillbook.stats().tags.helpful).toBeGreaterThanOrEqual(Number(counted[1]));
  });

  it("the index is rebuilt and no id is used again", () => {
    const { skillbook, report } = Skillbook.fromRecord({
      skills: {
        "math-00001": { id: "math-00001", section: "math", content: "one" },
        "math-00002": { id: "math-00002", section: "math", content: "two" },
      },
      sections: { math: "math-00001", ghost: ["ghost-00001"] },
    });
    expect(report.repaired.map(({ field }) => field)).toEqual(["next_id", "sections"]);
    expect(skillbook.toRecord().sections).toEqual({ math: ["math-00001", "math-00002"] });
    expect(() => skillbook.asContext("anything")).not.toThrow();
    const { applied } = skillbook.apply([{ type: "ADD", section: "math", content: "three" }]);
    expect(applied[0]?.skillId).toBe("math-00003");
  });

  it("a record is one moment of the book, whatever is written meanwhile", () => {
    const book = new Skillbook();
    book.apply([{ type: "ADD", section: "a", content: "one" }]);
    const record = book.toRecord();
    const text = JSON.stringify(record);
    book.apply([
      { type: "UPDATE", skillId: "a-00001", content: "changed" },
      { type: "ADD", section: "a", content: "two" },
    ]);
    expect(JSON.stringify(record)).toBe(text);
  });
});
