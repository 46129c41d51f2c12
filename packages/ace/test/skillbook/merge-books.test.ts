import { FakeClock } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { mergeSkillbooks } from "../../src/skillbook/merge-books.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";

const add = (content: string, section = "a"): unknown => ({ type: "ADD", section, content });
const update = (skillId: string, content: string): unknown => ({
  type: "UPDATE",
  skillId,
  content,
});
const tag = (skillId: string, name = "helpful"): unknown => ({ type: "TAG", skillId, tag: name });
const remove = (skillId: string): unknown => ({ type: "REMOVE", skillId });

/** One clock for all: equal dates make merging hardest. */
let clock = new FakeClock();

function bookWith(...contents: string[]): Skillbook {
  clock = new FakeClock();
  const book = new Skillbook({ clock });
  book.apply(contents.map((content) => add(content)));
  return book;
}

/** Two writers that start from one book. */
function fork(base: Skillbook): { ours: Skillbook; theirs: Skillbook } {
  return { ours: base.clone(), theirs: base.clone() };
}

function contents(book: Skillbook): string[] {
  return book.skills().map(({ content }) => content);
}

describe("mergeSkillbooks", () => {
  it("adds what each side learned, and adds up what each side counted", () => {
    const base = bookWith("one", "two");
    base.apply([tag("a-00001")]);
    const { ours, theirs } = fork(base);
    ours.apply([add("ours"), tag("a-00001"), tag("a-00001")]);
    theirs.apply([add("theirs", "b"), tag("a-00001"), tag("a-00002", "harmful")]);
    const { skillbook, report } = mergeSkillbooks(base, ours, theirs);
    expect(contents(skillbook)).toEqual(["one", "two", "theirs", "ours"]);
    expect(skillbook.get("a-00001")?.helpful).toBe(4);
    expect(skillbook.get("a-00002")?.harmful).toBe(1);
    expect(report).toEqual({ added: ["b-00003"], renamed: [], conflicts: [], collapsed: [] });
    expect(skillbook.get("a-00003")?.content).toBe("ours");
  });

  it("leaves both inputs alone and yields a book that goes on counting", () => {
    const base = bookWith("one");
    const { ours, theirs } = fork(base);
    ours.apply([add("ours")]);
    theirs.apply([add("theirs")]);
    const records = [base, ours, theirs].map((book) => book.toRecord());
    const { skillbook } = mergeSkillbooks(base, ours, theirs);
    expect([base, ours, theirs].map((book) => book.toRecord())).toEqual(records);
    expect(skillbook.apply([add("next")]).applied[0]?.skillId).toBe("a-00004");
    expect(skillbook.revision).toBeGreaterThan(ours.revision);
  });

  it("gives the unpublished one of two skills under one id a new id, and says so", () => {
    const base = bookWith("one");
    const { ours, theirs } = fork(base);
    ours.apply([add("ours"), tag("a-00002")]);
    theirs.apply([add("theirs")]);
    const { skillbook, report } = mergeSkillbooks(base, ours, theirs);
    expect(skillbook.get("a-00002")?.content).toBe("theirs");
    expect(skillbook.get("a-00003")).toMatchObject({ content: "ours", helpful: 1 });
    expect(report.renamed).toEqual([{ side: "ours", from: "a-00002", to: "a-00003" }]);
    expect(report.added).toEqual(["a-00002"]);
  });

  it("gives their skill a new id where ours was published", () => {
    const base = bookWith("one");
    clock.advance(1_000);
    const theirs = new Skillbook({ clock });
    theirs.apply([add("another first")]);
    const { skillbook, report } = mergeSkillbooks(base, base.clone(), theirs);
    expect(skillbook.get("a-00001")?.content).toBe("one");
    expect(skillbook.get("a-00002")?.content).toBe("another first");
    expect(report.renamed).toEqual([{ side: "theirs", from: "a-00001", to: "a-00002" }]);
  });

  it("works without a base, losing nothing", () => {
    const ours = bookWith("one", "ours");
    const theirs = bookWith("one", "theirs", "more");
    const { skillbook } = mergeSkillbooks(undefined, ours, theirs);
    expect(contents(skillbook).toSorted()).toEqual(["more", "one", "ours", "theirs"]);
  });

  it("lets the only changed text win, and of two changed ones the newer", () => {
    const base = bookWith("one", "two", "three");
    const { ours, theirs } = fork(base);
    clock.advance(1_000);
    ours.apply([update("a-00001", "one by us"), update("a-00003", "three by us")]);
    clock.advance(1_000);
    theirs.apply([update("a-00002", "two by them"), update("a-00003", "three by them")]);
    const { skillbook, report } = mergeSkillbooks(base, ours, theirs);
    expect(contents(skillbook)).toEqual(["one by us", "two by them", "three by them"]);
    expect(report.conflicts).toEqual([{ id: "a-00003", kept: "theirs" }]);
    const turned = mergeSkillbooks(base, theirs, ours);
    expect(contents(turned.skillbook)).toEqual(["one by us", "two by them", "three by them"]);
    expect(turned.report.conflicts).toEqual([{ id: "a-00003", kept: "ours" }]);
  });

  it("lets a removal count, unless the other side worked on the text", () => {
    const base = bookWith("one", "two", "three");
    const { ours, theirs } = fork(base);
    ours.apply([remove("a-00001"), remove("a-00002")]);
    theirs.apply([remove("a-00003"), update("a-00002", "two, better"), tag("a-00001")]);
    const { skillbook } = mergeSkillbooks(base, ours, theirs);
    expect(contents(skillbook)).toEqual(["two, better"]);
    expect(skillbook.get("a-00001")).toMatchObject({ status: "invalid", helpful: 1 });
  });

  it("does not bring back what a side purged, nor what ours left behind on purpose", () => {
    const base = bookWith("one", "two", "three");
    const { ours, theirs } = fork(base);
    ours.apply([remove("a-00001")]);
    ours.purge();
    theirs.apply([remove("a-00002"), add("four")]);
    theirs.purge();
    const { skillbook } = mergeSkillbooks(base, ours, theirs);
    // "two" is still active on our side, where nobody removed it.
    expect(contents(skillbook).toSorted()).toEqual(["four", "three", "two"]);
    const other = new Skillbook();
    other.apply([add("loaded from elsewhere", "z")]);
    const replaced = mergeSkillbooks(base, other, theirs);
    expect(contents(replaced.skillbook)).toEqual(["four", "loaded from elsewhere"]);
  });

  it("collapses a lesson that both learned, once", () => {
    const base = bookWith("one");
    const { ours, theirs } = fork(base);
    ours.apply([add("ours first", "b"), add("Same lesson."), tag("a-00003")], { origin: "sample" });
    theirs.apply([add("same lesson"), tag("a-00002"), tag("a-00002")], { origin: "feedback" });
    const { skillbook, report } = mergeSkillbooks(base, ours, theirs);
    expect(contents(skillbook)).toEqual(["one", "same lesson", "ours first"]);
    expect(skillbook.get("a-00002")).toMatchObject({ helpful: 3 });
    expect(skillbook.get("a-00002")?.sources.map(({ origin }) => origin)).toEqual([
      "feedback",
      "sample",
    ]);
    expect(report.collapsed).toEqual([{ id: "a-00003", into: "a-00002" }]);
    expect(report.renamed).toContainEqual({ side: "ours", from: "a-00003", to: "a-00002" });
    // The other writer takes it over at its next merge, and nothing is counted twice.
    const next = mergeSkillbooks(theirs, theirs, skillbook);
    expect(next.skillbook.skills()).toEqual(skillbook.skills());
  });

  it("keeps KEEP decisions under the new names, as long as the texts are those compared", () => {
    const base = bookWith("one", "two");
    const { ours, theirs } = fork(base);
    ours.apply([add("ours")]);
    ours.keep("a-00001", "a-00003");
    ours.keep("a-00001", "a-00002");
    theirs.apply([add("theirs"), update("a-00002", "two, new")]);
    theirs.keep("a-00001", "a-00003");
    const { skillbook } = mergeSkillbooks(base, ours, theirs);
    expect(Object.keys(skillbook.toRecord().similarity_decisions).toSorted()).toEqual([
      "a-00001,a-00003",
      "a-00001,a-00004",
    ]);
  });

  it("makes any number of writers agree, without growing", () => {
    let disk = bookWith("one");
    const writers = Array.from({ length: 3 }, () => ({
      book: disk.clone(),
      base: disk.snapshot(),
    }));
    const commit = (writer: (typeof writers)[number]): void => {
      const { skillbook } = mergeSkillbooks(writer.base, writer.book, disk);
      writer.book.restore(skillbook.snapshot());
      writer.base = writer.book.snapshot();
      disk = writer.book.clone();
    };
    for (let round = 0; round < 5; round += 1) {
      for (const [index, { book }] of writers.entries()) {
        book.apply([
          add(`lesson ${round} of ${index}`),
          add(`lesson ${round} of all`),
          tag("a-00001"),
        ]);
      }
      for (const writer of writers) commit(writer);
    }
    for (let round = 0; round < 2; round += 1) for (const writer of writers) commit(writer);
    for (const { book } of writers) {
      expect(book.size).toBe(1 + 5 * 4);
      expect(book.get("a-00001")?.helpful).toBe(15);
      expect(book.toRecord()).toEqual(disk.toRecord());
    }
  });

  it("refuses a result beyond the limits of a book", () => {
    const many = (prefix: string): Skillbook =>
      Skillbook.fromRecord({
        skills: Array.from({ length: 11_000 }, (_, i) => ({
          id: `${prefix}-${i + 1}`,
          section: prefix,
          content: `rule ${prefix} ${i}`,
        })),
      }).skillbook;
    expect(() => mergeSkillbooks(undefined, many("a"), many("b"))).toThrow(
      expect.objectContaining({ code: "ACE_SKILLBOOK_TOO_LARGE" }) as Error,
    );
  });
});
