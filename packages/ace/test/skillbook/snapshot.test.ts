import { FakeClock } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { diffSkillbooks } from "../../src/skillbook/diff.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";

function twoSkills(): Skillbook {
  const book = new Skillbook({ clock: new FakeClock() });
  book.apply([
    { type: "ADD", section: "a", content: "one" },
    { type: "ADD", section: "a", content: "two" },
  ]);
  book.keep("a-00001", "a-00002");
  return book;
}

describe("snapshot and restore", () => {
  it("undo everything since, counters and decisions included", () => {
    const book = twoSkills();
    const before = book.toRecord();
    const snapshot = book.snapshot();
    book.apply([
      { type: "REMOVE", skillId: "a-00001" },
      { type: "UPDATE", skillId: "a-00002", content: "changed" },
      { type: "ADD", section: "a", content: "three" },
    ]);
    book.purge();
    book.restore(snapshot);
    expect({ ...book.toRecord(), next_id: 2 }).toEqual(before);
    expect(book.isKept("a-00001", "a-00002")).toBe(true);
    expect(book.stats()).toMatchObject({ skills: 2, invalid: 0 });
  });

  it("raise the revision, and give no number a second time", () => {
    const book = twoSkills();
    const snapshot = book.snapshot();
    book.apply([{ type: "ADD", section: "a", content: "three" }]);
    const { revision } = book;
    book.restore(snapshot);
    expect(book.revision).toBeGreaterThan(revision);
    const { applied } = book.apply([{ type: "ADD", section: "a", content: "other" }]);
    expect(applied[0]?.skillId).toBe("a-00004");
  });

  it("is not changed by the book, nor the book by it", () => {
    const book = twoSkills();
    const snapshot = book.snapshot();
    book.apply([{ type: "ADD", section: "a", content: "three" }]);
    expect(snapshot.skills.size).toBe(2);
    book.restore(snapshot);
    book.apply([{ type: "ADD", section: "a", content: "four" }]);
    expect(snapshot.skills.size).toBe(2);
  });

  it("move the choice of skills along", () => {
    const book = twoSkills();
    const snapshot = book.snapshot();
    book.apply([{ type: "UPDATE", skillId: "a-00001", content: "umbrella when it rains" }]);
    expect(book.asContext("rain")).toContain("umbrella");
    book.restore(snapshot);
    expect(book.asContext("rain")).not.toContain("umbrella");
  });
});

describe("clone", () => {
  it("is independent", () => {
    const book = twoSkills();
    const copy = book.clone();
    expect(copy.toRecord()).toEqual(book.toRecord());
    expect(copy.revision).toBe(book.revision);
    copy.apply([{ type: "REMOVE", skillId: "a-00001" }]);
    expect(book.get("a-00001")?.status).toBe("active");
    expect(copy.get("a-00001")?.status).toBe("invalid");
  });
});

describe("diffSkillbooks", () => {
  it("lists active skills that came, went and changed, with the fields", () => {
    const book = twoSkills();
    const before = book.snapshot();
    book.apply([
      { type: "ADD", section: "b", content: "three" },
      { type: "REMOVE", skillId: "a-00001" },
      { type: "UPDATE", skillId: "a-00002", content: "two!", evidence: "e" },
      { type: "TAG", skillId: "a-00002", tag: "harmful" },
    ]);
    const diff = diffSkillbooks(before, book);
    expect(diff.added.map(({ id }) => id)).toEqual(["b-00003"]);
    expect(diff.removed.map(({ id }) => id)).toEqual(["a-00001"]);
    expect(
      diff.changed.map(({ before: old, after, fields }) => [old.content, after.content, fields]),
    ).toEqual([["two", "two!", ["content", "evidence", "harmful"]]]);
    const undo = diffSkillbooks(book, before);
    expect(undo.added.map(({ id }) => id)).toEqual(["a-00001"]);
    expect(undo.removed.map(({ id }) => id)).toEqual(["b-00003"]);
  });

  it("is empty for equal books, whatever objects hold them", () => {
    const book = twoSkills();
    const { skillbook } = Skillbook.fromRecord(JSON.parse(JSON.stringify(book.toRecord())));
    expect(diffSkillbooks(book, skillbook)).toEqual({ added: [], removed: [], changed: [] });
  });
});
