import fc from "fast-check";
import { expect, test } from "vitest";
import { findFocus } from "../../../src/roles/recall/focus.ts";

function placesIn(text: string): string[] | undefined {
  const focus = findFocus(text);
  return focus?.places.map((place) => text.slice(place - 3, place + focus.span.length + 3));
}

test.each([
  ['Tag of "34.6" in: "it owned 34.6 % of it"', ["ed 34.6 % "]],
  ["Tag of “34.6” in: it owned 34.6 % of it", ["ed 34.6 % "]],
  ["What is 'limit' here: the limit is 5", ["he limit is"]],
  ["What does `x` do in a = x + 1 ?", [" = x + "]],
  ["What is «prix» in le prix du pain", ["le prix du"]],
  ['Where is "No" in: there is no way', ["is no wa"]],
  ['Is "a b" in x a b y, or a b?', [" x a b y,", "or a b?"]],
])("%s", (text, expected) => {
  expect(placesIn(text)).toEqual(expected);
});

test.each([
  'Tag of "4" in: 14, 4.5, 24 and x4',
  'He said "hello" to me',
  "It's Tom's dog, not Ann's",
  "no quotation at all",
  `"${"long ".repeat(40)}" long long`,
  '"" and " "',
  "",
])("points at nothing: %s", (text) => {
  expect(findFocus(text)).toBeUndefined();
});

test("takes the first quotation that occurs again, and a number at the end of a sentence", () => {
  const text = 'With "hello" first: tag "100" in "The price was 100."';
  expect(findFocus(text)).toMatchObject({ span: "100", places: [text.indexOf("100.")] });
});

test("property: a quoted word is found at each of its places, wherever the quotation stands", () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/);
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 8 }), fc.nat(8), (span, others, at) => {
      const rest = others.filter((other) => other !== span);
      const body = [...rest.slice(0, at), span, ...rest.slice(at)].join(" ");
      const focus = findFocus(`Find "${span}" in ${body}`);
      expect(focus?.span).toBe(span);
      expect(focus?.places).toHaveLength(1);
    }),
  );
});
