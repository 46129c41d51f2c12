import { FakeClock } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { SKILLBOOK_LIMITS } from "../../src/skillbook/skill.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";

const add = (content: string, section = "math"): unknown => ({ type: "ADD", section, content });

function bookWith(...contents: string[]): Skillbook {
  const book = new Skillbook();
  book.apply(contents.map((content) => add(content)));
  return book;
}

describe("ADD", () => {
  it("makes an active skill with counters at 0, dates of the clock and the next number", () => {
    const book = new Skillbook({ clock: new FakeClock("2026-03-04T05:06:07.008Z") });
    const report = book.apply([
      { ...(add("Carry the one.") as object), justification: "why", evidence: " seen " },
    ]);
    expect(report).toEqual({
      applied: [{ index: 0, type: "ADD", skillId: "math-00001" }],
      skipped: [],
      revision: 1,
    });
    expect(book.get("math-00001")).toEqual({
      id: "math-00001",
      section: "math",
      content: "Carry the one.",
      justification: "why",
      evidence: "seen",
      helpful: 0,
      harmful: 0,
      neutral: 0,
      createdAt: "2026-03-04T05:06:07.008+00:00",
      updatedAt: "2026-03-04T05:06:07.008+00:00",
      status: "active",
      sources: [],
    });
  });

  it.each([undefined, null, "", "  ", "\u200B"])("files section %j under general", (section) => {
    const book = new Skillbook();
    book.apply([{ type: "ADD", section, content: "x marks it" }]);
    expect(book.get("general-00001")?.section).toBe("general");
  });

  it("ignores an id that a model chose and initial counters", () => {
    const book = bookWith("first");
    const { applied } = book.apply([
      {
        type: "ADD",
        section: "math",
        content: "b",
        skill_id: "math-00001",
        metadata: { helpful: 9 },
      },
    ]);
    expect(applied[0]?.skillId).toBe("math-00002");
    expect(book.get("math-00001")?.content).toBe("first");
    expect(book.get("math-00002")?.helpful).toBe(0);
  });

  it("takes a caller's id only when it is new and usable", () => {
    const book = bookWith("first");
    const given = (id: string, content: string): unknown => ({
      type: "ADD",
      section: "math",
      content,
      id,
    });
    const report = book.apply(
      [given("math-00001", "b"), given("my id", "c"), given("tips-00040", "d"), add("e")],
      { allowIds: true },
    );
    expect(report.applied.map(({ skillId }) => skillId)).toEqual(["tips-00040", "math-00041"]);
    expect(report.skipped.map(({ index, reason }) => [index, reason])).toEqual([
      [0, "duplicate_id"],
      [1, "invalid_operation"],
    ]);
    expect(book.get("math-00001")?.content).toBe("first");
  });

  it("collapses exact duplicates (case, spacing, punctuation) and unites their sources", () => {
    const source = { trace_uid: "sample:1", source_system: "sample", trace_id: "1" };
    const book = bookWith("Convert feet to metres first.");
    const { skipped, revision } = book.apply([
      { ...(add("convert  FEET to metres first", "other") as object), insight_source: source },
    ]);
    expect(skipped).toMatchObject([{ index: 0, reason: "duplicate", skillId: "math-00001" }]);
    expect(book.size).toBe(1);
    expect(revision).toBe(2);
    expect(book.get("math-00001")?.sources.map(({ traceUid }) => traceUid)).toEqual(["sample:1"]);
  });

  it("does not collapse texts that differ in a number, an operator or a removed skill's text", () => {
    const book = bookWith("Use 1.5 metres.", "Keep x < 3.");
    book.apply([{ type: "REMOVE", skillId: "math-00001" }]);
    const report = book.apply([add("Use 1.5 metres."), add("Use 15 metres."), add("Keep x > 3.")]);
    expect(report.skipped).toEqual([]);
    expect(book.size).toBe(4);
  });

  it.each([
    ["revenue - cost", "revenue * cost"],
    [
      "Find the gross profit\nAnswer: revenue - cost",
      "Find the gross profit\nAnswer: revenue * cost",
    ],
    ["Find the shift\nAnswer: - 5", "Find the shift\nAnswer: 5"],
    ["Shift it by - 5 hours", "Shift it by 5 hours"],
    ["Set the flag to {}", "Set the flag to []"],
    ["Call f([x])", "Call f(x)"],
    ["Take x ? y : z", "Take x y z"],
    ["List names matching *", "List names matching"],
  ])("keeps %j and %j, at ADD and in consolidation", (a, b) => {
    const book = bookWith(a, b);
    expect(book.size).toBe(2);
    book.mergeNearDuplicates();
    expect(book.size).toBe(2);
  });

  it("collapses duplicates inside one batch", () => {
    const report = new Skillbook().apply([add("One rule."), add("one rule")]);
    expect(report.applied).toHaveLength(1);
    expect(report.skipped).toMatchObject([{ reason: "duplicate", skillId: "math-00001" }]);
  });

  it("strips invisible characters before it looks at the text", () => {
    const book = new Skillbook();
    const report = book.apply([
      { type: "ADD", section: "ma\u202Eth", content: "A\u200Bdd \u{E0041}carefully.\u0007" },
      add("\u200B\u202E\u0000"),
    ]);
    expect(book.get("math-00001")?.content).toBe("Add carefully.");
    expect(report.skipped).toMatchObject([{ index: 1, reason: "empty_content" }]);
  });
});

describe("limits", () => {
  it.each(["content", "justification", "evidence"])("refuse %s over 2,000 characters", (field) => {
    const book = new Skillbook();
    const of = (length: number): unknown => ({
      type: "ADD",
      section: "math",
      content: `rule ${length}`,
      [field]: "é".repeat(length),
    });
    const { skipped } = book.apply([of(2_001), of(2_000)]);
    expect(skipped).toMatchObject([{ index: 0, reason: "too_long" }]);
    expect(skipped[0]?.message).toContain(field);
    expect(book.size).toBe(1);
    const longer = { type: "UPDATE", skillId: "math-00001", [field]: "é".repeat(2_001) };
    expect(book.apply([longer]).skipped).toMatchObject([{ reason: "too_long" }]);
  });

  it("count characters, not UTF-16 units", () => {
    expect(new Skillbook().apply([add("🚀".repeat(2_000))]).skipped).toEqual([]);
  });

  it("keep the first 32 sources of a skill and cut their notes", () => {
    const book = bookWith("rule");
    const sources = Array.from({ length: 40 }, (_, i) => ({
      traceUid: `s:${i}`,
      sourceSystem: "s",
      traceId: String(i),
      sampleQuestion: "q".repeat(50_000),
    }));
    book.apply([{ type: "UPDATE", skillId: "math-00001", evidence: "e", sources }]);
    const kept = book.get("math-00001")?.sources ?? [];
    expect(kept).toHaveLength(SKILLBOOK_LIMITS.sourcesPerSkill);
    expect(kept[0]?.traceUid).toBe("s:0");
    expect(kept[0]?.sampleQuestion).toHaveLength(SKILLBOOK_LIMITS.textChars);
  });

  it("skip an ADD beyond 20,000 skills with book_full, using up no number", () => {
    const book = new Skillbook();
    book.apply(Array.from({ length: SKILLBOOK_LIMITS.skills }, (_, i) => add(`rule ${i}`)));
    expect(book.size).toBe(SKILLBOOK_LIMITS.skills);
    const { skipped } = book.apply([
      add("one more"),
      { type: "TAG", skillId: "math-00001", tag: "helpful" },
    ]);
    expect(skipped).toMatchObject([{ index: 0, reason: "book_full" }]);
    expect(book.get("math-00001")?.helpful).toBe(1);
    book.apply([{ type: "REMOVE", skillId: "math-00001" }]);
    book.purge();
    expect(book.apply([add("one more")]).applied[0]?.skillId).toBe("math-20001");
  });

  it("skip an ADD beyond 24 MiB of text with book_full", () => {
    const book = new Skillbook();
    const long = "x".repeat(1_980);
    const operations = Array.from({ length: 4_300 }, (_, i) => ({
      type: "ADD",
      section: "s",
      content: `${long} ${i}`,
      justification: long,
      evidence: long,
    }));
    const { applied, skipped } = book.apply(operations);
    expect(skipped.every(({ reason }) => reason === "book_full")).toBe(true);
    expect(applied.length + skipped.length).toBe(4_300);
    const bytes = book
      .skills()
      .map((skill) => [skill.content, skill.justification, skill.evidence].join(""))
      .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThanOrEqual(SKILLBOOK_LIMITS.textBytes);
    expect(bytes).toBeGreaterThan(0.99 * SKILLBOOK_LIMITS.textBytes);
  });
});

describe("UPDATE", () => {
  it("replaces what is given, keeps the rest and never resets counters", () => {
    const clock = new FakeClock("2026-01-01T00:00:00.000Z");
    const book = new Skillbook({ clock });
    book.apply([
      { type: "ADD", section: "math", content: "old", justification: "j", evidence: "e" },
      { type: "TAG", skillId: "math-00001", tag: "helpful" },
      { type: "TAG", skillId: "math-00001", tag: "helpful" },
    ]);
    clock.advance(60_000);
    book.apply([
      {
        type: "UPDATE",
        skill_id: "math-00001",
        content: "new",
        evidence: null,
        metadata: { helpful: 1 },
      },
    ]);
    expect(book.get("math-00001")).toMatchObject({
      content: "new",
      justification: "j",
      evidence: "e",
      helpful: 2,
      createdAt: "2026-01-01T00:00:00.000+00:00",
      updatedAt: "2026-01-01T00:01:00.000+00:00",
    });
  });

  it("clears the embedding and the KEEP decisions of the skill when its content changes", () => {
    const record = bookWith("one", "two", "three").toRecord();
    for (const skill of Object.values(record.skills)) skill.embedding = [1, 2];
    const { skillbook: book } = Skillbook.fromRecord(record);
    book.keep("math-00001", "math-00002");
    book.keep("math-00002", "math-00003");
    book.apply([{ type: "UPDATE", skillId: "math-00001", evidence: "only this" }]);
    expect(book.get("math-00001")?.embedding).toEqual([1, 2]);
    expect(book.isKept("math-00002", "math-00001")).toBe(true);
    book.apply([{ type: "UPDATE", skillId: "math-00001", content: "other" }]);
    expect(book.get("math-00001")).not.toHaveProperty("embedding");
    expect(book.isKept("math-00001", "math-00002")).toBe(false);
    expect(book.isKept("math-00003", "math-00002")).toBe(true);
  });

  it("is refused when it would repeat another skill, changes nothing or names none", () => {
    const book = bookWith("one", "two");
    const { skipped } = book.apply([
      { type: "UPDATE", skillId: "math-00001", content: "TWO!" },
      { type: "UPDATE", skillId: "math-00001" },
      { type: "UPDATE", skillId: "math-00009", content: "x" },
      { type: "UPDATE", content: "x" },
      { type: "UPDATE", skillId: "math-00001", content: " " },
    ]);
    expect(skipped.map(({ reason }) => reason)).toEqual([
      "duplicate",
      "invalid_operation",
      "unknown_skill",
      "invalid_operation",
      "empty_content",
    ]);
    expect(book.get("math-00001")?.content).toBe("one");
  });
});

describe("TAG", () => {
  it("raises each named counter by exactly 1, whatever number is given", () => {
    const book = bookWith("one");
    book.apply([
      { type: "tag", skill_id: "math-00001", metadata: { helpful: 5, harmful: 1, content: 3 } },
      { type: "TAG", skillId: "math-00001", tag: "Neutral" },
    ]);
    expect(book.get("math-00001")).toMatchObject({
      helpful: 1,
      harmful: 1,
      neutral: 1,
      content: "one",
    });
  });

  it.each([
    { tag: "content" },
    { metadata: { helpful: -1 } },
    { metadata: { helpful: "1" } },
    { metadata: { id: 1 } },
    {},
  ])("refuses %j", (rest) => {
    const book = bookWith("one");
    const { skipped } = book.apply([{ type: "TAG", skillId: "math-00001", ...rest }]);
    expect(skipped).toMatchObject([{ reason: "invalid_operation" }]);
    expect(book.stats().tags).toEqual({ helpful: 0, harmful: 0, neutral: 0 });
  });
});

describe("REMOVE", () => {
  it("is soft: the skill stays, inactive, and further operations on it are refused", () => {
    const book = bookWith("one");
    const report = book.apply([
      { type: "REMOVE", skillId: "math-00001" },
      { type: "TAG", skillId: "math-00001", tag: "helpful" },
      { type: "UPDATE", skillId: "math-00001", content: "x" },
      { type: "REMOVE", skillId: "math-00001" },
    ]);
    expect(report.skipped.map(({ reason, skillId }) => [reason, skillId])).toEqual(
      Array.from({ length: 3 }, () => ["inactive_skill", "math-00001"]),
    );
    expect(book.get("math-00001")).toMatchObject({ status: "invalid", content: "one" });
    expect(book.skills()).toEqual([]);
    expect(book.skills({ includeInvalid: true })).toHaveLength(1);
  });
});

describe("a batch", () => {
  it("applies its good operations and reports the bad ones by index", () => {
    const book = bookWith("one");
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("trap");
        },
      },
    );
    const report = book.apply([
      null,
      "ADD",
      [],
      {},
      { type: "EVAL" },
      { type: 7 },
      hostile,
      { type: "ADD", content: 5 },
      { type: "ADD", section: {}, content: "x" },
      add("two"),
    ]);
    expect(report.applied).toEqual([{ index: 9, type: "ADD", skillId: "math-00002" }]);
    expect(report.skipped.map(({ index, reason }) => [index, reason])).toEqual(
      Array.from({ length: 9 }, (_, index) => [index, "invalid_operation"]),
    );
    expect(report.revision).toBe(2);
  });

  it("leaves the revision when nothing changed", () => {
    const book = bookWith("one");
    expect(book.apply([{ type: "EVAL" }, add("One")]).revision).toBe(1);
    expect(book.apply([]).revision).toBe(1);
  });

  it("changes nothing when it cannot run at all", () => {
    const clock = new FakeClock();
    const book = new Skillbook({ clock });
    book.apply([add("one")]);
    clock.now = () => {
      throw new Error("no time");
    };
    expect(() => book.apply([add("two")])).toThrow("no time");
    expect(() => book.apply("ADD" as never)).toThrow(/list of operations/);
    expect(book.size).toBe(1);
    expect(book.revision).toBe(1);
  });

  it("keeps the origin in the sources, and attaches the sources of the batch", () => {
    const book = new Skillbook();
    const own = {
      traceUid: "t:1",
      sourceSystem: "t",
      traceId: "1",
      relation: "supporting",
      origin: "trace",
    };
    const shared = {
      traceUid: "sample:2",
      sourceSystem: "sample",
      traceId: "2",
      relation: "seed",
    } as const;
    book.apply([{ ...(add("one") as object), sources: [own] }], {
      origin: "sample",
      sources: [shared],
    });
    book.apply([add("two")], { origin: "feedback" });
    expect(book.get("math-00001")?.sources).toEqual([own, { ...shared, origin: "sample" }]);
    expect(book.get("math-00002")?.sources).toMatchObject([
      { origin: "feedback", relation: "seed" },
    ]);
  });

  it("hands out values that later changes leave alone", () => {
    const book = bookWith("one");
    const before = book.get("math-00001");
    const list = book.skills();
    book.apply([{ type: "TAG", skillId: "math-00001", tag: "helpful" }, add("two")]);
    expect(before?.helpful).toBe(0);
    expect(list).toHaveLength(1);
    expect(() => Object.assign(before ?? {}, { helpful: 9 })).toThrow(TypeError);
  });
});
