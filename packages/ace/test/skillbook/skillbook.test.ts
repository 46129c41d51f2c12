import { describe, expect, it } from "vitest";
import { Skillbook } from "../../src/skillbook/skillbook.ts";

describe("Skillbook", () => {
  it("applies, reads back and round-trips through its record", () => {
    const book = new Skillbook();
    const report = book.apply([
      { type: "ADD", section: "Units of length", content: "Convert to metres first." },
      { type: "tag", skill_id: "units-00001", metadata: { helpful: 3 } },
    ]);
    expect(report.skipped).toEqual([]);
    expect(report.applied.map(({ skillId }) => skillId)).toEqual(["units-00001", "units-00001"]);
    expect(book.get("units-00001")).toMatchObject({ helpful: 1, section: "Units of length" });
    const record: unknown = JSON.parse(JSON.stringify(book.toRecord()));
    const { skillbook, report: load } = Skillbook.fromRecord(record);
    expect(load).toEqual({ loaded: 1, skipped: [], repaired: [], migratedFrom: null });
    expect(skillbook.toRecord()).toEqual(record);
  });
});
