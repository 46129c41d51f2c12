import { FakeClock } from "@acumen/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeSkillbooks } from "../../src/skillbook/merge-books.ts";
import { type Skill, SKILL_TAGS } from "../../src/skillbook/skill.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { normaliseText } from "../../src/text/normalise.ts";
import { operation } from "./arbitraries.ts";

const batch = fc.array(operation, { maxLength: 12 });

/** What the other side removed or replaced on purpose may go; what is new or was changed here stays. */
function mustStay(base: Skillbook, mine: Skillbook, other: Skillbook, withBase: boolean): Skill[] {
  return mine.skills().filter((skill) => {
    const start = base.get(skill.id);
    if (start?.content === skill.content) return !withBase;
    return start === undefined || other.get(skill.id)?.content === start.content;
  });
}

function expectSums(base: Skillbook, ours: Skillbook, theirs: Skillbook, merged: Skillbook): void {
  for (const start of base.skills({ includeInvalid: true })) {
    for (const tag of SKILL_TAGS) {
      const sum = [ours, theirs].reduce((all, book) => all + (book.get(start.id)?.[tag] ?? 0), 0);
      expect(merged.get(start.id)?.[tag]).toBeGreaterThanOrEqual(sum - start[tag]);
    }
  }
}

it("a new content stays when the other side gives the old one another evidence, also a later one", () => {
  const clock = new FakeClock();
  const base = new Skillbook({ clock });
  base.apply([{ type: "ADD", section: "a", content: "one" }]);
  const [{ id } = { id: "" }] = base.skills();
  const ours = base.clone();
  const theirs = base.clone();
  ours.apply([{ type: "UPDATE", skillId: id, content: "two" }]);
  clock.advance(1_000);
  theirs.apply([{ type: "UPDATE", skillId: id, evidence: "seen again" }]);
  for (const { skillbook } of [
    mergeSkillbooks(base, ours, theirs),
    mergeSkillbooks(base, theirs, ours),
  ]) {
    expect(skillbook.skills().map(({ content }) => content)).toEqual(["two"]);
  }
});

describe("mergeSkillbooks, whatever both sides did", () => {
  it("loses no active content and no count, and keeps the invariants", () => {
    fc.assert(
      fc.property(batch, batch, batch, fc.boolean(), (before, byUs, byThem, withBase) => {
        const clock = new FakeClock();
        const base = new Skillbook({ clock });
        base.apply(before);
        const ours = base.clone();
        const theirs = base.clone();
        clock.advance(1);
        ours.apply(byUs);
        theirs.apply(byThem);
        const { skillbook, report } = mergeSkillbooks(withBase ? base : undefined, ours, theirs);
        const merged = new Set(skillbook.skills().map(({ content }) => normaliseText(content)));
        const kept = [
          ...mustStay(base, ours, theirs, withBase),
          ...mustStay(base, theirs, ours, withBase),
        ];
        for (const { content } of kept) expect(merged).toContain(normaliseText(content));
        if (withBase) expectSums(base, ours, theirs, skillbook);
        const again = Skillbook.fromRecord(JSON.parse(JSON.stringify(skillbook.toRecord())));
        expect(again.report).toMatchObject({ skipped: [], repaired: [] });
        for (const { to } of report.renamed) expect(skillbook.get(to)).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });

  it("is settled after one exchange: merging again changes nothing", () => {
    fc.assert(
      fc.property(batch, batch, batch, (before, byUs, byThem) => {
        const base = new Skillbook({ clock: new FakeClock() });
        base.apply(before);
        const ours = base.clone();
        const theirs = base.clone();
        ours.apply(byUs);
        theirs.apply(byThem);
        const published = mergeSkillbooks(base, ours, theirs).skillbook;
        const adopted = mergeSkillbooks(theirs, theirs, published).skillbook;
        const byId = (book: Skillbook): unknown =>
          book.skills({ includeInvalid: true }).toSorted((a, b) => (a.id < b.id ? -1 : 1));
        expect(byId(adopted)).toEqual(byId(published));
      }),
      { numRuns: 300 },
    );
  });
});
