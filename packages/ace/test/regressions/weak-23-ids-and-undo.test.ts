import { describe, expect, it } from "vitest";
import { diffSkillbooks, Skillbook } from "../../src/index.ts";

const add = (content: string, rest: object = {}): unknown => ({
  type: "ADD",
  section: "a",
  content,
  ...rest,
});

describe("weak point 23: ADD overwrites, an empty section crashes, REMOVE is final, there is no undo", () => {
  it("an ADD never overwrites: a model's id is ignored, a caller's must be new", () => {
    const book = new Skillbook();
    book.apply([add("first"), add("second", { skill_id: "a-00001", id: "a-00001" })]);
    expect(book.get("a-00001")?.content).toBe("first");
    expect(book.get("a-00002")?.content).toBe("second");
    const given = book.apply([add("third", { id: "a-00001" })], { allowIds: true });
    expect(given.skipped).toMatchObject([{ reason: "duplicate_id" }]);
    expect(book.get("a-00001")?.content).toBe("first");
    expect(book.toRecord().sections).toEqual({ a: ["a-00001", "a-00002"] });
  });

  it("the counter never runs into an id that was chosen before", () => {
    const book = new Skillbook();
    book.apply([add("chosen", { id: "a-00003" })], { allowIds: true });
    book.apply([add("one"), add("two"), add("three")]);
    expect(book.skills().map(({ id }) => id)).toEqual(["a-00003", "a-00004", "a-00005", "a-00006"]);
  });

  it("an empty or missing section is general", () => {
    const book = new Skillbook();
    const { applied } = book.apply([
      add("one", { section: "" }),
      add("two", { section: "  " }),
      { type: "ADD", content: "three" },
    ]);
    expect(applied.map(({ skillId }) => skillId)).toEqual([
      "general-00001",
      "general-00002",
      "general-00003",
    ]);
  });

  it("removal is soft, deletion explicit, and any change can be seen and undone", () => {
    const book = new Skillbook();
    book.apply([add("one"), add("two")]);
    const before = book.snapshot();
    book.apply([{ type: "REMOVE", skillId: "a-00001" }]);
    expect(book.get("a-00001")).toMatchObject({ status: "invalid", content: "one" });
    expect(diffSkillbooks(before, book).removed.map(({ id }) => id)).toEqual(["a-00001"]);
    expect(book.purge()).toBe(1);
    book.restore(before);
    expect(book.get("a-00001")).toMatchObject({ status: "active", content: "one" });
    expect(diffSkillbooks(before, book)).toEqual({ added: [], removed: [], changed: [] });
  });
});
