import { describe, expect, it } from "vitest";
import { Skillbook } from "../../src/index.ts";

const source = (id: string): object => ({ traceUid: `s:${id}`, sourceSystem: "s", traceId: id });

function alike(): Skillbook {
  const book = new Skillbook();
  book.apply([
    {
      type: "ADD",
      section: "units",
      content: "Convert all lengths to metres before adding them.",
      sources: [source("1")],
    },
    {
      type: "ADD",
      section: "units",
      content: "Convert all the lengths to metres before adding them.",
      sources: [source("2")],
    },
    { type: "ADD", section: "units", content: "Write the unit next to each number." },
    { type: "TAG", skillId: "units-00001", tag: "helpful" },
    { type: "TAG", skillId: "units-00002", tag: "helpful" },
    { type: "TAG", skillId: "units-00002", tag: "harmful" },
  ]);
  return book;
}

describe("weak point 20: dedup never changes the book, and merging loses what it knew", () => {
  it("near-duplicates really become one skill with all counters and sources", () => {
    const book = alike();
    const report = book.mergeNearDuplicates();
    expect(report).toMatchObject({
      merged: 1,
      clusters: [{ keptId: "units-00001", mergedIds: ["units-00002"] }],
      revision: book.revision,
    });
    expect(book.size).toBe(2);
    expect(book.get("units-00001")).toMatchObject({ helpful: 2, harmful: 1 });
    expect(book.get("units-00001")?.sources.map(({ traceId }) => traceId)).toEqual(["1", "2"]);
    expect(book.mergeNearDuplicates()).toMatchObject({ merged: 0, clusters: [] });
  });

  it("lessons with different conclusions stay apart, whatever their similarity", () => {
    const book = new Skillbook();
    book.apply([
      { type: "ADD", section: "q", content: "How long is the fence in metres?\nAnswer: 14" },
      { type: "ADD", section: "q", content: "How long is the fence in metres?\nAnswer: 15" },
    ]);
    expect(book.mergeNearDuplicates({ threshold: 0 })).toMatchObject({ merged: 0 });
    expect(book.size).toBe(2);
  });

  it("a threshold of 0 is 0, and one that is none is refused", () => {
    expect(alike().mergeNearDuplicates({ threshold: 1 }).merged).toBeLessThanOrEqual(1);
    expect(() => alike().mergeNearDuplicates({ threshold: 2 })).toThrow(
      expect.objectContaining({ code: "ACE_OPTION_INVALID" }) as Error,
    );
  });

  it("a KEEP decision holds until the content of either changes", () => {
    const book = alike();
    book.keep("units-00001", "units-00002", "asked for");
    expect(book.mergeNearDuplicates().merged).toBe(0);
    book.apply([
      {
        type: "UPDATE",
        skillId: "units-00002",
        content: "Convert all of the lengths to metres before adding them.",
      },
    ]);
    expect(book.isKept("units-00001", "units-00002")).toBe(false);
    expect(book.mergeNearDuplicates().merged).toBe(1);
  });

  it("an UPDATE of the content drops the stale embedding", () => {
    const record = alike().toRecord();
    for (const skill of Object.values(record.skills)) skill.embedding = [1, 0];
    const { skillbook } = Skillbook.fromRecord(record);
    skillbook.apply([{ type: "UPDATE", skillId: "units-00003", content: "Name every unit." }]);
    expect(skillbook.get("units-00003")).not.toHaveProperty("embedding");
    expect(skillbook.get("units-00001")?.embedding).toEqual([1, 0]);
  });
});
