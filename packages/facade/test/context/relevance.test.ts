import fc from "fast-check";
import { expect, test } from "vitest";
import { excerptsOf } from "../../src/context/excerpts.ts";
import { queryTerms } from "../../src/context/query-terms.ts";
import { bm25, countTerms, pathScore } from "../../src/context/score-files.ts";
import { countTokens } from "../../src/context/token-count.ts";

test.each([
  ["How is the OrderService made?", ["orderservice", "order", "service", "made"]],
  ["parseHTTPRequest", ["parsehttprequest", "parse", "http", "request"]],
  ["購物車總計", ["購物", "物車", "車總", "總計", "購物車總計"]],
  ["the and for", []],
])("the words of %s", (query, terms) => {
  expect(queryTerms(query)).toEqual(terms);
});

test("any question has at most 32 words", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (query) => {
      expect(queryTerms(query).length).toBeLessThanOrEqual(32);
    }),
  );
});

test("rare words count for more than common ones, and short files for more than long ones", () => {
  const terms = ["common", "rare"];
  const texts = ["common", "common rare", `common rare ${"x ".repeat(500)}`, "common", "common"];
  const scores = bm25(
    texts.map((text) => countTerms(text, terms)),
    terms,
  );
  const [one = 0, two = 0, three = 0] = scores;
  expect(two).toBe(1);
  expect(three).toBeLessThan(two);
  expect(one).toBeLessThan(three);
});

test("scores are those of BM25 as it is computed by hand", () => {
  const terms = ["aaa", "ccc"];
  const texts = ["aaa bbb", "aaa", "ccc ccc ccc"];
  const scores = bm25(
    texts.map((text) => countTerms(text, terms)),
    terms,
  );
  // idf: ln(1 + 1.5 / 2.5) and ln(1 + 2.5 / 1.5); 7 characters on average; k1 1.2, b 0.75.
  const raw = [
    0.470004 * ((1 * 2.2) / (1 + 1.2)),
    0.470004 * ((1 * 2.2) / (1 + 0.685714)),
    0.980829 * ((3 * 2.2) / (3 + 1.714286)),
  ] as const;
  for (const [index, score] of scores.entries()) {
    expect(score).toBeCloseTo((raw[index] ?? 0) / raw[2], 5);
  }
});

test("a path that the question names is the best, then a file's name, then its folder", () => {
  const score = (path: string) => pathScore(path, "look at src/cart.ts and mail", ["cart", "mail"]);
  expect(score("src/cart.ts")).toBe(1);
  expect(score("lib/cart.ts")).toBeLessThan(1);
  expect(score("cart/index.ts")).toBeLessThan(score("lib/cart.ts"));
  expect(score("lib/other.ts")).toBe(0);
});

test("excerpts are lines of the text where they say, bounded, and end before the text does", () => {
  const text = fc
    .array(fc.constantFrom("needle", "hay", "more hay and so on", "", "x".repeat(3_000)), {
      minLength: 1,
      maxLength: 200,
    })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, (whole) => {
      const lines = whole.split("\n");
      const excerpts = excerptsOf(whole, ["needle"], [1]);
      const tokens = excerpts.reduce((sum, { content }) => sum + countTokens(content), 0);
      expect(tokens).toBeLessThanOrEqual(500);
      for (const { start, end, content } of excerpts) {
        const own = lines.slice(start - 1, end).map((line) => line.slice(0, 400));
        expect(content.split("\n").map((line) => line.replace(/…$/, ""))).toEqual(own);
      }
    }),
  );
});
