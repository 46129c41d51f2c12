import fc from "fast-check";
import { expect, test } from "vitest";
import { isClose, onlyNumberIn, parseNumber } from "../../src/evaluation/numbers.ts";

test.each([
  ["$1,234.50", 1234.5, 0.01],
  ["12 %", 12, 1],
  [" -3.0 ", -3, 0.1],
  ["− 7", -7, 1],
  ["- $ 7", -7, 1],
  ["1 000 000", 1_000_000, 1],
  ["1,00,000", 100_000, 1],
  ["€ .5", 0.5, 0.1],
  ["1.5e3", 1500, 100],
])("%j is the number %d", (text, value, unit) => {
  const number = parseNumber(text);
  expect(number?.value).toBe(value);
  expect(number?.unit).toBeCloseTo(unit, 12);
});

test.each(["", "four", "1,2,3", "3 4", "1.2.3", "12 apples", "0x10", "1e999", "NaN", "$"])(
  "%j is not one number",
  (text) => {
    expect(parseNumber(text)).toBeUndefined();
  },
);

test("finds the only number in a sentence, and none where there are several", () => {
  expect(onlyNumberIn("It took about 14.4 days.")?.value).toBe(14.4);
  expect(onlyNumberIn("It is $1,500, that is $1,500")?.value).toBe(1500);
  expect(onlyNumberIn("between 3 and 4")).toBeUndefined();
  expect(onlyNumberIn("model gpt4 says so")).toBeUndefined();
});

test("a difference of exactly one unit is close, binary fractions or not", () => {
  expect(isClose(0.3, 0.2, 0.1)).toBe(true);
  expect(isClose(0.31, 0.2, 0.1)).toBe(false);
  expect(isClose(2, 2, 0)).toBe(true);
  expect(isClose(2.000001, 2, 0)).toBe(false);
});

test("property: what is written as a number is read back, with separators too", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e12, max: 1e12 }),
      fc.integer({ min: 0, max: 4 }),
      (digits, decimals) => {
        const value = digits / 10 ** decimals;
        const text = value.toFixed(decimals);
        expect(parseNumber(text)?.value).toBe(Number(text));
        const grouped = value.toLocaleString("en-US", {
          minimumFractionDigits: decimals,
          maximumFractionDigits: decimals,
        });
        expect(parseNumber(grouped)?.value).toBe(Number(text));
      },
    ),
  );
});
