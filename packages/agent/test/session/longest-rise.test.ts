import fc from "fast-check";
import { expect, test } from "vitest";
import { longestRise } from "../../src/session/longest-rise.ts";

/** By trying every subset. */
function longestByTrial(numbers: readonly number[]): number {
  let longest = 0;
  for (let mask = 0; mask < 1 << numbers.length; mask += 1) {
    const chosen = numbers.filter((_number, index) => (mask >> index) % 2 === 1);
    const rises = chosen.every((number, index) => index === 0 || number > (chosen[index - 1] ?? 0));
    if (rises) longest = Math.max(longest, chosen.length);
  }
  return longest;
}

test("it rises, keeps the order, and none is longer", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 9 }), (numbers) => {
      const items = numbers.map((number, index) => ({ number, index }));
      const rise = longestRise(items, ({ number }) => number);
      expect(rise).toHaveLength(longestByTrial(numbers));
      rise.forEach(({ number, index }, place) => {
        const before = rise[place - 1];
        if (before === undefined) return;
        expect(number).toBeGreaterThan(before.number);
        expect(index).toBeGreaterThan(before.index);
      });
    }),
  );
});

test("what rises already is kept whole", () => {
  const all = Array.from({ length: 1_000 }, (_, index) => index * 2);
  expect(longestRise(all, (number) => number)).toEqual(all);
});
