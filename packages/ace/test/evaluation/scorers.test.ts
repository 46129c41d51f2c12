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
  ["list", "3", "4", 1, { tolerance: 1 }],
  ["list", "", "A", 0],
  ["list", "", "", 1],
];

test.each(CASES)("%s: %j against %j gives %d", (name, answer, truth, score, options) => {
  expect(scorers[name](answer, truth, options)).toBeCloseTo(score, 12);
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
