import fc from "fast-check";
import { expect, test } from "vitest";
import { type ScorerName, type ScorerOptions, scorers } from "../../src/evaluation/scorers.ts";

const known = (...answers: string[]): ScorerOptions => ({ knownAnswers: new Set(answers) });

const CASES: [ScorerName, string, string, number, ScorerOptions?][] = [
  ["exact", " Gross  Profit\n", "Gross Profit", 1],
  ["exact", "gross profit", "Gross Profit", 0],
  ["exact", "Gross Profit.", "Gross Profit", 0],
  ["contains", "It is the capital, Paris.", "paris", 1],
  ["contains", "Parisian", "Paris", 0],
  ["contains", "14", "4", 0],
  ["contains", "4.5", "4", 0],
  ["contains", "-4 degrees", "4", 0],
  ["contains", "C++ is it", "C", 0],
  ["contains", "A or B", "A", 0, known("A", "B")],
  ["contains", "A or B", "A", 0],
  ["contains", "A and also B", "A", 0, known("A", "B")],
  ["contains", "It is not Paris", "Paris", 0],
  ["contains", "Interest Expense", "Interest", 0, known("Interest", "Interest Expense")],
  [
    "contains",
    "It is Interest Expense",
    "Interest Expense",
    1,
    known("Interest", "Interest Expense"),
  ],
  ["contains", "It is interest expense", "Interest", 0, known("Interest", "Interest Expense")],
  ["contains", "", "A", 0],
  // operators and brackets
  ["contains", "a == b", "a != b", 0],
  ["contains", "It is a == b.", "a != b", 0],
  ["contains", "It is a == b.", "a==b", 1],
  ["contains", "x > 5", "x < 5", 0],
  ["contains", "x >= 5", "x > 5", 0],
  ["contains", "x ≥ 5", "x >= 5", 1],
  ["contains", "a != b, or rather a == b", "a == b", 0],
  ["contains", "revenue * cost", "revenue - cost", 0],
  ["contains", "revenue / cost", "revenue - cost", 0],
  ["contains", "a - b", "a b", 0],
  ["contains", "a && b", "a || b", 0],
  ["contains", "a + (b * c)", "(a + b) * c", 0],
  ["contains", "x y z", "x ? y : z", 0],
  ["contains", "flag to []", "flag to {}", 0],
  ["contains", "Set the flag to {}.", "flag to {}", 1],
  ["contains", "!flag", "flag", 0],
  ["contains", "-x", "x", 0],
  ["contains", "It is > 5", "5", 0],
  ["contains", "A+", "A", 0],
  ["contains", "The grade is A-", "A+", 0],
  ["contains", "The grade is A+.", "A+", 1],
  ["contains", "n 1", "n - 1", 0],
  ["contains", "1-2", "1/2", 0],
  ["contains", "2018/12/31", "2018-12-31", 1],
  ["contains", "TCP IP", "TCP/IP", 1],
  ["contains", "Billing: Refunds", "Billing - Refunds", 1],
  ["contains", "It is **Paris**!", "Paris", 1],
  ["contains", "- Paris", "Paris", 1],
  ["contains", "-> Paris", "Paris", 1],
  // denied in the same clause
  ["contains", "Paris isn't right", "Paris", 0],
  ["contains", '"Paris" is definitely not it', "Paris", 0],
  ["contains", "Paris is wrong", "Paris", 0],
  ["contains", "Paris would be the wrong answer", "Paris", 0],
  ["contains", "Paris does not fit", "Paris", 0],
  ["contains", "I don't think it is Paris", "Paris", 0],
  ["contains", "It can't be in Paris", "Paris", 0],
  ["contains", "London rather than Paris", "Paris", 0],
  ["contains", "Anything but Paris", "Paris", 0],
  ["contains", "Paris, not London", "Paris", 1],
  ["contains", "Paris not London", "Paris", 1],
  ["contains", "It is not London but Paris", "Paris", 1],
  ["contains", "It isn't London. It is Paris", "Paris", 1],
  ["contains", "Paris is not only the capital", "Paris", 1],
  ["contains", "Paris is right; London is wrong", "Paris", 1],
  ["contains", "It is not allowed here", "not allowed", 1],
  // alternatives
  ["contains", "A/B", "A", 0],
  ["contains", "A/B", "B", 0],
  ["contains", "A / B", "A", 0],
  ["contains", "yes/no", "yes", 0],
  ["contains", "Paris/London/Rome", "London", 0],
  ["contains", "A|B", "A", 0],
  ["contains", "Paris and/or London", "Paris", 0],
  ["contains", "A/B", "A/B", 1],
  ["contains", "It goes 60 km/h", "km/h", 1],
  ["contains", "It is measured in km/h", "km", 1],
  ["contains", "see src/a", "a", 1],
  ["contains", "see ./lib/alpha", "alpha", 1],
  ["contains", "see alpha/beta.ts", "alpha", 1],
  ["contains", "see /alpha/beta", "beta", 1],
  ["contains", "Paris (score 1/2)", "Paris", 1],
  ["contains", "…", "…", 1],
  ["numeric", "$1,000", "1000", 1],
  ["numeric", "12.3%", "12.34", 0],
  ["numeric", "12.33", "12.34", 1],
  ["numeric", "It is about 14.4 days", "14.4", 1],
  ["numeric", "3 or 4", "4", 0],
  ["numeric", "nine", "9", 0],
  ["numeric", "105", "100", 1, { tolerance: 5 }],
  ["numeric", "99", "100", 0, { tolerance: 0.5 }],
  ["list", "A, B,C", "a,b,c", 1],
  ["list", "[A; B]", '"A", "B"', 1],
  ["list", "A,C,B", "A,B,C", 1 / 3],
  ["list", "A,B,C,D", "A,B", 0.5],
  ["list", "1,000, 2", "1000,2.0", 1],
  ["list", "3", "4", 0],
  ["list", "a - b; c", "a * b; c", 0.5],
  ["list", "3", "4", 1, { tolerance: 1 }],
  ["list", "", "A", 0],
  ["list", "", "", 1],
];

test.each(CASES)("%s: %j against %j gives %d", (name, answer, truth, score, options) => {
  expect(scorers[name](answer, truth, options)).toBeCloseTo(score, 12);
});

test("takes time in proportion to the answer on runs that invite backtracking", () => {
  for (const run of [
    "*",
    "* ",
    "*a ",
    "\n",
    " ",
    "-",
    "=",
    "/",
    "a/",
    ". ",
    "not ",
    "'",
    "(",
    "> ",
  ]) {
    const answer = `${run.repeat(20_000)}x`;
    expect(scorers.contains(answer, answer)).toBe(1);
    expect(scorers.contains(answer, "missing")).toBe(0);
    scorers.contains(answer, "x");
  }
});

test("property: every scorer gives the truth itself 1, and stays within 0 and 1 for anything", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (answer, truth) => {
      for (const name of ["exact", "contains", "list"] as const) {
        expect(scorers[name](truth, truth)).toBe(1);
      }
      for (const score of Object.values(scorers)) {
        const value = score(answer, truth, known(answer, truth, "a"));
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
    }),
  );
});
