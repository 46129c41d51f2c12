import fc from "fast-check";
import { expect, test } from "vitest";
import { type Candidate, formOf, GROUPS } from "../../src/context/candidate.ts";
import { MAX_FRAGMENTS, pack } from "../../src/context/pack.ts";
import { shareBudget } from "../../src/context/share-budget.ts";

function candidate(uri: string, chars: number, rest: Partial<Candidate> = {}): Candidate {
  const part = (content: string) => ({ uri, title: uri, content });
  return {
    source: "files",
    group: "files",
    uri,
    score: 1,
    trust: "untrusted",
    forms: [
      formOf("full", [part("x".repeat(chars))]),
      formOf("excerpt", [part("x".repeat(Math.floor(chars / 4)))]),
      formOf("reference", [part("")]),
    ],
    ...rest,
  };
}

const detailsOf = (packing: ReturnType<typeof pack>) =>
  Object.fromEntries(packing.chosen.map(({ candidate: { uri }, form }) => [uri, form.detail]));

test("a share that is not wanted goes to those that want more", () => {
  expect(shareBudget(1_000, { guide: 9e9, skills: 9e9, history: 9e9, files: 9e9 })).toEqual({
    guide: 150,
    skills: 150,
    history: 200,
    files: 500,
  });
  expect(shareBudget(1_000, { guide: 50, skills: 0, history: 0, files: 9e9 })).toEqual({
    guide: 50,
    skills: 0,
    history: 0,
    files: 950,
  });
});

test("shares never exceed the total, nor what is wanted", () => {
  const amount = fc.nat(100_000);
  const wants = fc.record({ guide: amount, skills: amount, history: amount, files: amount });
  fc.assert(
    fc.property(amount, wants, (total, wanted) => {
      const given = shareBudget(total, wanted);
      const sum = GROUPS.reduce((all, group) => all + given[group], 0);
      expect(sum).toBeLessThanOrEqual(total);
      for (const group of GROUPS) expect(given[group]).toBeLessThanOrEqual(wanted[group]);
      const all = GROUPS.reduce((all, group) => all + wanted[group], 0);
      expect(sum).toBeGreaterThanOrEqual(Math.min(total, all) - GROUPS.length);
    }),
  );
});

test("less of something comes before nothing of it", () => {
  const packing = pack([candidate("a", 700), candidate("b", 700), candidate("c", 700)], 320);
  expect(detailsOf(packing)).toEqual({ a: "full", b: "excerpt", c: "excerpt" });
  expect(packing.left).toEqual([]);
});

test("whoever has the better score keeps more", () => {
  const packing = pack(
    [candidate("a", 700, { score: 0.1 }), candidate("b", 700), candidate("c", 700)],
    420,
  );
  expect(detailsOf(packing)).toEqual({ a: "reference", b: "full", c: "full" });
});

test("pins are whole whatever the others are", () => {
  const pinned = candidate("pin", 700, { pinned: true, score: 0 });
  const packing = pack([candidate("a", 700), pinned], 205);
  expect(detailsOf(packing)).toEqual({ a: "reference", pin: "full" });
});

test("what is packed never exceeds the budget nor the number of fragments, and is the same each time", () => {
  const one = fc.record({
    group: fc.constantFrom(...GROUPS),
    chars: fc.nat(3_000),
    score: fc.double({ min: 0, max: 2, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 300 }), fc.nat(20_000), (all, total) => {
      const candidates = all.map(({ group, chars, score }, index) =>
        candidate(`file:${index}`, chars, { group, score }),
      );
      const packing = pack(candidates, total);
      const used = packing.chosen.reduce((sum, { form }) => sum + form.tokens, 0);
      expect(used).toBeLessThanOrEqual(total);
      expect(packing.chosen.length).toBeLessThanOrEqual(MAX_FRAGMENTS);
      expect(packing.chosen.length + packing.left.length).toBe(candidates.length);
      expect(pack(candidates, total)).toEqual(packing);
      expect(detailsOf(pack(candidates.toReversed(), total))).toEqual(detailsOf(packing));
    }),
    { numRuns: 50 },
  );
});
