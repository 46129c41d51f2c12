import fc from "fast-check";
import { expect, test } from "vitest";
import { citedSkillIds } from "../../src/roles/citations.ts";

const SHOWN = [
  "math-00001",
  "error-handling-00002",
  "oauth2-00003",
  "größe-00004",
  "単位-00005",
  "snake_case-00006",
  "a-100007",
];

test.each([
  ["I use [math-00001].", ["math-00001"]],
  ["[error-handling-00002]", ["error-handling-00002"]],
  ["[oauth2-00003, math-00001]", ["oauth2-00003", "math-00001"]],
  ["(größe-00004; 単位-00005)", ["größe-00004", "単位-00005"]],
  ["gro\u0308ße-00004", ["größe-00004"]],
  ["**snake_case-00006**: so", ["snake_case-00006"]],
  ["see a-100007.", ["a-100007"]],
  ["Math-00001", ["math-00001"]],
  ["math\u201100001", ["math-00001"]],
  ["math-00001, oauth2-00003, math-00001", ["math-00001", "oauth2-00003"]],
  ["[math-00009]", []],
  ["xmath-00001", []],
  ["math-000011", []],
  ["math-00001-2", []],
  ["handling-00002", []],
  ["", []],
])("%j cites %j", (text, expected) => {
  expect(citedSkillIds(text, SHOWN)).toEqual(expected);
});

test("property: whatever the prefix, a cited id is found among others, in first-seen order", () => {
  const id = fc
    .tuple(fc.stringMatching(/^[a-zà-öø-ÿ][a-z0-9_à-öø-ÿ]{0,8}(-[a-z0-9]{1,5})?$/), fc.nat(999_999))
    .map(([prefix, number]) => `${prefix}-${String(number).padStart(5, "0")}`);
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 6 }), (ids) => {
      expect(citedSkillIds(`Because of [${ids.join(", ")}] and [${ids[0]}].`, ids)).toEqual(ids);
      expect(citedSkillIds(ids.join(" "), ids.slice(1))).toEqual(ids.slice(1));
    }),
  );
});
