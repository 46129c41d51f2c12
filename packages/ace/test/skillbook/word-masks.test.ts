import fc from "fast-check";
import { expect, it } from "vitest";
import { WordMasks } from "../../src/skillbook/word-masks.ts";

function masksOf(lists: readonly number[][]): WordMasks {
  const holders = new Map<number, number[]>();
  lists.forEach((words, i) => {
    for (const word of new Set(words)) holders.set(word, [...(holders.get(word) ?? []), i]);
  });
  return new WordMasks(
    lists.map((words) => ({ words })),
    holders,
  );
}

it("tells missing words apart while there are bits for all", () => {
  const masks = masksOf([[1, 2, 3], [1, 3], [1, 40], [1]]);
  expect(masks.mayContain(0, 1)).toBe(true);
  expect(masks.mayContain(1, 0)).toBe(false);
  expect(masks.mayContain(0, 2)).toBe(false);
  expect(masks.mayContain(2, 3)).toBe(true);
});

it("never denies a list that does contain the other, however many words there are", () => {
  const lists = fc.array(fc.array(fc.nat(300), { maxLength: 40 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(lists, (all) => {
      const masks = masksOf(all);
      all.forEach((larger, a) => {
        all.forEach((smaller, b) => {
          if (smaller.every((word) => larger.includes(word)))
            expect(masks.mayContain(a, b)).toBe(true);
        });
      });
    }),
  );
});
