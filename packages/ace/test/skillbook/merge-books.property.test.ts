import { FakeClock } from "@acumen/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeSkillbooks } from "../../src/skillbook/merge-books.ts";
import { SKILL_TAGS } from "../../src/skillbook/skill.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { normaliseText } from "../../src/text/normalise.ts";
import { operation } from "./arbitraries.ts";

const batch = fc.array(operation, { maxLength: 12 });

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
        for (const [mine, other] of [
          [ours, theirs],
          [theirs, ours],
        ] as const) {
          for (const skill of mine.skills()) {
            const start = base.get(skill.id);
            // What the other side removed or replaced on purpose may go; what is new or was changed here stays.
            const untouched = start?.content === skill.content;
            const contested = other.get(skill.id)?.content !== start?.content;
            if (untouched && withBase) continue;
            if (start && contested) continue;
            expect(merged).toContain(normaliseText(skill.content));
          }
        }
        if (withBase) {
          for (const start of base.skills({ includeInvalid: true })) {
            for (const tag of SKILL_TAGS) {
              const sum =
                (ours.get(start.id)?.[tag] ?? 0) + (theirs.get(start.id)?.[tag] ?? 0) - start[tag];
              expect(skillbook.get(start.id)?.[tag]).toBeGreaterThanOrEqual(sum);
            }
          }
        }
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
