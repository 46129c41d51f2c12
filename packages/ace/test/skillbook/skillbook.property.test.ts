import { FakeClock } from "@acumen/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTooLong } from "../../src/skillbook/clean-text.ts";
import { idNumber, isUsableId } from "../../src/skillbook/ids.ts";
import { SKILL_TAGS, type Skill, SKILLBOOK_LIMITS } from "../../src/skillbook/skill.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { stripUnsafe } from "../../src/text/sanitise.ts";
import { anything, operation } from "./arbitraries.ts";

function checkInvariants(book: Skillbook): void {
  const all = book.skills({ includeInvalid: true });
  const record = book.toRecord();
  const ids = all.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Object.keys(record.skills)).toEqual(ids);
  expect(record.next_id).toBeGreaterThanOrEqual(Math.max(0, ...ids.map(idNumber)));
  const listed = Object.entries(record.sections).flatMap(([section, members]) =>
    members.map((id) => `${id} ${section}`),
  );
  expect(listed.toSorted()).toEqual(all.map(({ id, section }) => `${id} ${section}`).toSorted());
  for (const skill of all) checkSkill(skill);
  for (const key of Object.keys(record.similarity_decisions)) {
    expect(key.split(",").every((id) => book.get(id) !== undefined)).toBe(true);
  }
  expect(book.skills()).toEqual(all.filter(({ status }) => status === "active"));
  expect(book.size).toBe(book.skills().length);
  expect(book.stats()).toMatchObject({ skills: book.size, invalid: all.length - book.size });
}

function checkSkill(skill: Skill): void {
  expect(isUsableId(skill.id)).toBe(true);
  expect(skill.content).not.toBe("");
  for (const text of [skill.content, skill.justification ?? "", skill.evidence ?? ""]) {
    expect(isTooLong(text)).toBe(false);
    expect(stripUnsafe(text)).toBe(text);
  }
  expect(skill.sources.length).toBeLessThanOrEqual(SKILLBOOK_LIMITS.sourcesPerSkill);
  for (const tag of SKILL_TAGS) {
    expect(Number.isSafeInteger(skill[tag]) && skill[tag] >= 0).toBe(true);
  }
}

describe("any sequence of operations", () => {
  it("keeps the invariants, only raises counters and reports every operation once", () => {
    fc.assert(
      fc.property(fc.array(fc.array(anything, { maxLength: 8 }), { maxLength: 6 }), (batches) => {
        const book = new Skillbook({ clock: new FakeClock() });
        for (const batch of batches) {
          const before = book.skills({ includeInvalid: true });
          const { revision } = book;
          const report = book.apply(batch);
          const indexes = [...report.applied, ...report.skipped].map(({ index }) => index);
          expect(indexes.toSorted((a, b) => a - b)).toEqual(batch.map((_, index) => index));
          expect(report.revision).toBe(book.revision);
          expect(book.revision).toBeGreaterThanOrEqual(revision);
          for (const old of before) {
            const now = book.get(old.id);
            for (const tag of SKILL_TAGS) expect(now?.[tag]).toBeGreaterThanOrEqual(old[tag]);
            expect(now?.createdAt).toBe(old.createdAt);
            expect(now?.section).toBe(old.section);
          }
          if (book.revision === revision) {
            expect(book.skills({ includeInvalid: true })).toEqual(before);
          }
          checkInvariants(book);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("survives purges, merges, KEEP decisions and undo in between", () => {
    const ids = fc.constantFrom("a-00001", "a-00002", "b-00003", "ghost-9");
    const step = fc.oneof(
      fc.record({ apply: fc.array(operation, { minLength: 1, maxLength: 6 }) }),
      fc.record({ merge: fc.tuple(ids, fc.array(ids, { maxLength: 3 })) }),
      fc.record({ keep: fc.tuple(ids, ids) }),
      fc.constant({ purge: true }),
      fc.constant({ undo: true }),
      fc.constant({ reload: true }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
        let book = new Skillbook({ clock: new FakeClock() });
        const seen = new Map<string, string>();
        let snapshot = book.snapshot();
        for (const each of steps) {
          if ("apply" in each) {
            snapshot = book.snapshot();
            for (const { type, skillId } of book.apply(each.apply).applied) {
              // A number that was ever given never means another skill.
              if (type === "ADD") expect(seen.has(skillId)).toBe(false);
              if (type === "ADD") seen.set(skillId, "given");
            }
          } else if ("merge" in each) book.merge(...each.merge);
          else if ("keep" in each) {
            const [a, b] = each.keep;
            if (a !== b && book.get(a) && book.get(b)) book.keep(a, b);
          } else if ("purge" in each) book.purge();
          else if ("undo" in each) book.restore(snapshot);
          else book = Skillbook.fromRecord(JSON.parse(JSON.stringify(book.toRecord()))).skillbook;
          checkInvariants(book);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("comes back from a file as it was", () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 25 }), (operations) => {
        const book = new Skillbook({ clock: new FakeClock() });
        book.apply(operations, { origin: "trace" });
        const record: unknown = JSON.parse(JSON.stringify(book.toRecord()));
        const { skillbook, report } = Skillbook.fromRecord(record);
        expect(report).toMatchObject({ skipped: [], repaired: [], migratedFrom: null });
        expect(skillbook.skills({ includeInvalid: true })).toEqual(
          book.skills({ includeInvalid: true }),
        );
        expect(JSON.stringify(skillbook.toRecord())).toBe(JSON.stringify(record));
      }),
      { numRuns: 200 },
    );
  });
});

describe("any JSON", () => {
  const field = fc.oneof(
    fc.constantFrom("a-00001", "x", "", "active", 3, -1, null),
    fc.jsonValue(),
  );
  const record = fc.dictionary(
    fc.constantFrom(
      "id",
      "section",
      "content",
      "issue",
      "helpful",
      "status",
      "created_at",
      "sources",
    ),
    field,
  );
  const skills = fc.oneof(
    fc.dictionary(
      fc.constantFrom("a-00001", "a-00002", "b", "__proto__"),
      fc.oneof(record, fc.jsonValue()),
    ),
    fc.array(record),
    fc.jsonValue(),
  );
  const book = fc.record(
    {
      skills,
      bullets: skills,
      sections: fc.jsonValue(),
      next_id: field,
      schema_version: fc.constantFrom("2", 1),
      similarity_decisions: fc.dictionary(fc.constantFrom("a-00001,a-00002", "x"), field),
    },
    { requiredKeys: [] },
  );

  it("loads with every record accounted for, or is refused with a code", () => {
    fc.assert(
      fc.property(fc.oneof(book, fc.jsonValue()), (value) => {
        let loaded: ReturnType<typeof Skillbook.fromRecord>;
        try {
          loaded = Skillbook.fromRecord(value);
        } catch (error) {
          expect(error).toMatchObject({
            code: expect.stringMatching(/^ACE_SKILLBOOK_/) as unknown,
          });
          return;
        }
        const given = value as { skills?: unknown; bullets?: unknown };
        const count = [given.skills, given.bullets].reduce<number>(
          (sum, part) => sum + Object.keys(part ?? {}).length,
          0,
        );
        expect(loaded.report.loaded + loaded.report.skipped.length).toBe(count);
        expect(loaded.report.loaded).toBe(loaded.skillbook.skills({ includeInvalid: true }).length);
        checkInvariants(loaded.skillbook);
      }),
      { numRuns: 1_000 },
    );
  });
});
