import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonIn } from "../../src/json/json-text.ts";

test.each([
  ['{"a": 1}', { a: 1 }],
  ["  [1, 2]\n", [1, 2]],
  ['```json\n{"a": "```"}\n```', { a: "```" }],
  ['Here:\n```\n{"a": 1}\n```\nand\n```\n{"b": 2}\n```', { a: 1 }],
  ['Sure! {"a": "with } and \\" inside"} Anything else?', { a: 'with } and " inside' }],
  ["{broken", undefined],
  ["no json", undefined],
  ["", undefined],
  ["null", null],
])("%j", (text, value) => {
  expect(jsonIn(text)).toEqual(value);
});

test("any JSON value is found in any prose without brackets around it", () => {
  const prose = fc.string().map((text) => text.replace(/[[\]{}`"]/g, ""));
  fc.assert(
    fc.property(
      prose,
      fc.dictionary(fc.string(), fc.jsonValue()),
      prose,
      (before, value, after) => {
        const text = JSON.stringify(value);
        expect(jsonIn(`${before}${text}${after}`)).toEqual(JSON.parse(text));
      },
    ),
  );
});

test("a million brackets are no way to hang it", () => {
  expect(jsonIn("[".repeat(1_000_000))).toBeUndefined();
});
