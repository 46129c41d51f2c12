import { FakeClock } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { Skillbook } from "../../src/skillbook/skillbook.ts";

const source = (id: string): object => ({
  traceUid: `sample:${id}`,
  sourceSystem: "sample",
  traceId: id,
  relation: "seed",
});

function threeSkills(clock = new FakeClock()): Skillbook {
  const book = new Skillbook({ clock });
  book.apply([
    { type: "ADD", section: "units", content: "first", sources: [source("1"), source("9")] },
    { type: "ADD", section: "units", content: "second", evidence: "seen", sources: [source("2")] },
    { type: "ADD", section: "other", content: "third", sources: [source("9")] },
    { type: "TAG", skillId: "units-00001", tag: "helpful" },
    { type: "TAG", skillId: "units-00002", tag: "helpful" },
    { type: "TAG", skillId: "units-00002", tag: "harmful" },
    { type: "TAG", skillId: "other-00003", tag: "neutral" },
  ]);
  return book;
}

describe("merge", () => {
  it("keeps the text of one, the oldest id, the sum of the counters and all sources", () => {
    const clock = new FakeClock("2026-01-01T00:00:00.000Z");
    const book = threeSkills(clock);
    clock.advance(1_000);
    const report = book.merge("units-00002", ["other-00003", "units-00001"]);
    expect(report).toEqual({
      keptId: "units-00001",
      applied: [
        { index: -1, type: "REMOVE", skillId: "units-00002" },
        { index: 0, type: "REMOVE", skillId: "other-00003" },
      ],
      skipped: [],
      revision: 2,
    });
    expect(book.get("units-00001")).toMatchObject({
      content: "second",
      evidence: "seen",
      helpful: 2,
      harmful: 1,
      neutral: 1,
      createdAt: "2026-01-01T00:00:00.000+00:00",
      updatedAt: "2026-01-01T00:00:01.000+00:00",
      status: "active",
    });
    expect(book.get("units-00001")?.sources.map(({ traceId }) => traceId)).toEqual(["1", "9", "2"]);
    expect(book.skills().map(({ id }) => id)).toEqual(["units-00001"]);
    expect(book.stats()).toMatchObject({
      invalid: 2,
      tags: { helpful: 2, harmful: 1, neutral: 1 },
    });
    // What went into it stays readable until a purge.
    expect(book.get("units-00002")).toMatchObject({
      content: "second",
      status: "invalid",
      helpful: 1,
    });
  });

  it("takes another content when one is given, and frees the merged texts for new skills", () => {
    const book = threeSkills();
    book.merge("units-00001", ["units-00002"], " both in one ");
    expect(book.get("units-00001")?.content).toBe("both in one");
    const { applied, skipped } = book.apply([
      { type: "ADD", section: "units", content: "second" },
      { type: "ADD", section: "units", content: "Both in one." },
    ]);
    expect(applied).toHaveLength(1);
    expect(skipped).toMatchObject([{ reason: "duplicate", skillId: "units-00001" }]);
  });

  it("clears the embedding and the KEEP decisions of what changed", () => {
    const record = threeSkills().toRecord();
    for (const skill of Object.values(record.skills)) skill.embedding = [1];
    const { skillbook: book } = Skillbook.fromRecord(record);
    book.keep("units-00001", "other-00003");
    book.keep("units-00002", "other-00003");
    book.merge("units-00001", ["units-00002"]);
    expect(book.get("units-00001")?.embedding).toEqual([1]);
    expect(book.isKept("units-00001", "other-00003")).toBe(true);
    expect(book.isKept("units-00002", "other-00003")).toBe(false);
    book.merge("other-00003", ["units-00001"]);
    expect(book.get("units-00001")).not.toHaveProperty("embedding");
    expect(book.toRecord().similarity_decisions).toEqual({});
  });

  it("skips what it cannot use and does nothing when fewer than two are left", () => {
    const book = threeSkills();
    book.apply([{ type: "REMOVE", skillId: "other-00003" }]);
    const before = book.toRecord();
    const nothing = book.merge("units-00001", ["units-00001", "ghost", "other-00003"]);
    expect(nothing).toMatchObject({
      keptId: undefined,
      applied: [],
      skipped: [
        { index: 1, reason: "unknown_skill" },
        { index: 2, reason: "inactive_skill" },
      ],
    });
    expect(book.merge("ghost", ["units-00001", "units-00002"]).keptId).toBeUndefined();
    expect(book.merge("units-00001", ["units-00002"], "x".repeat(2_001)).skipped).toMatchObject([
      { index: -1, reason: "too_long" },
    ]);
    expect(book.merge("units-00001", ["units-00002"], "\u200B").skipped).toMatchObject([
      { index: -1, reason: "empty_content" },
    ]);
    expect(book.toRecord()).toEqual(before);
    expect(book.revision).toBe(2);
  });
});

describe("keep", () => {
  it("remembers a pair in either order, until the content of one changes", () => {
    const book = threeSkills();
    book.keep("units-00002", "units-00001", "they differ\u202E");
    expect(book.isKept("units-00001", "units-00002")).toBe(true);
    expect(book.isKept("units-00001", "other-00003")).toBe(false);
    const { skillbook } = Skillbook.fromRecord(JSON.parse(JSON.stringify(book.toRecord())));
    expect(skillbook.isKept("units-00002", "units-00001")).toBe(true);
    expect(book.toRecord().similarity_decisions["units-00001,units-00002"]?.reasoning).toBe(
      "they differ",
    );
    skillbook.apply([{ type: "TAG", skillId: "units-00001", tag: "helpful" }]);
    expect(skillbook.isKept("units-00001", "units-00002")).toBe(true);
    skillbook.apply([{ type: "UPDATE", skillId: "units-00002", content: "second, again" }]);
    expect(skillbook.isKept("units-00001", "units-00002")).toBe(false);
  });

  it("refuses anything but two skills of the book", () => {
    const book = threeSkills();
    for (const [a, b] of [
      ["units-00001", "ghost"],
      ["units-00001", "units-00001"],
    ] as const) {
      expect(() => book.keep(a, b)).toThrow(
        expect.objectContaining({ code: "ACE_OPTION_INVALID" }) as Error,
      );
    }
    expect(book.revision).toBe(1);
  });
});

describe("purge", () => {
  it("really deletes removed skills, all or by id, and never an active one", () => {
    const book = threeSkills();
    book.keep("units-00001", "units-00002");
    book.apply([
      { type: "REMOVE", skillId: "units-00001" },
      { type: "REMOVE", skillId: "units-00002" },
    ]);
    expect(book.purge(["units-00001", "other-00003", "ghost"])).toBe(1);
    expect(book.get("units-00001")).toBeUndefined();
    expect(book.get("other-00003")?.status).toBe("active");
    expect(book.toRecord().similarity_decisions).toEqual({});
    expect(book.purge()).toBe(1);
    const { revision } = book;
    expect(book.purge()).toBe(0);
    expect(book.revision).toBe(revision);
    expect(
      book.apply([{ type: "ADD", section: "units", content: "new" }]).applied[0]?.skillId,
    ).toBe("units-00004");
  });
});
