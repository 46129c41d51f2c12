import { expect, test } from "vitest";
import { CaseIndex, type Neighbour } from "../../../src/roles/recall/case-index.ts";
import { countVotes, VOTERS, votersOf } from "../../../src/roles/recall/vote.ts";
import type { Skill } from "../../../src/skillbook/skill.ts";
import { normaliseText } from "../../../src/text/normalise.ts";
import { makeSkill } from "../../skillbook/make-skill.ts";
import { bookOf } from "./book-view.ts";

function voter(answer: string, similarity: number, fields: Partial<Skill> = {}): Neighbour {
  const skill = makeSkill(1, `Case.\nAnswer: ${answer}`, fields);
  return { skill, answer, answerKey: normaliseText(answer), similarity };
}

test("weighs votes by similarity, and counts spellings of one answer together", () => {
  expect(countVotes([])).toBeUndefined();
  const vote = countVotes([voter("B", 0.8), voter("Yes", 0.75), voter("yes.", 0.75)]);
  expect(vote?.answer).toBe("Yes");
  expect(vote?.share).toBeGreaterThan(0.5);
  expect(countVotes([voter("B", 0.9), voter("A", 0.5), voter("A", 0.5)])?.answer).toBe("B");
});

test("the record of a lesson counts, and the more similar case wins a draw", () => {
  const failed = { harmful: 2 };
  expect(countVotes([voter("A", 0.5, failed), voter("B", 0.5)])?.answer).toBe("B");
  expect(countVotes([voter("A", 0.5), voter("B", 0.5)])?.answer).toBe("A");
});

test("lessons that did more harm than good don't vote", () => {
  const book = bookOf(["Open the gate", "wrong"], ["Open the gate now", "right"]);
  for (let i = 0; i < 3; i++) {
    book.apply([{ type: "TAG", skillId: "cases-00001", tag: "harmful" }]);
  }
  const index = new CaseIndex();
  index.sync(book);
  expect(votersOf(index, "Open the gate").map(({ answer }) => answer)).toEqual(["right"]);
});

test("at most ten cases vote", () => {
  const letters = "abcdefghijklmnop".split("");
  const index = new CaseIndex();
  index.sync(bookOf(...letters.map((letter) => [`gate ${letter}${letter}`, letter] as const)));
  expect(votersOf(index, "gate aa bb cc dd ee ff gg hh ii jj kk ll")).toHaveLength(VOTERS);
});
