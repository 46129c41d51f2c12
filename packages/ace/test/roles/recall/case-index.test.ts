import fc from "fast-check";
import { expect, test } from "vitest";
import { CaseIndex } from "../../../src/roles/recall/case-index.ts";
import { caseText } from "../../../src/roles/recall/case-text.ts";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { withAnswer } from "../../../src/text/answer-line.ts";
import { addLessons, bookOf } from "./book-view.ts";

function nearest(index: CaseIndex, question: string): [string, number][] {
  return index
    .nearest(caseText(question), 10)
    .map(({ skill, similarity }) => [skill.id, Number(similarity.toFixed(12))]);
}

test("finds the most similar cases first, and nothing that shares no word", () => {
  const book = bookOf(
    ["Reset my password", "link"],
    ["Change the password policy", "admin"],
    ["Open the gate", "gate"],
  );
  const index = new CaseIndex();
  index.sync(book);
  const found = index.nearest(caseText("I want to reset a password"), 5);
  expect(found.map(({ answer }) => answer)).toEqual(["link", "admin"]);
  expect(index.nearest(caseText("Something else"), 5)).toEqual([]);
  expect(index.nearest(caseText("Reset my password"), 1)[0]?.similarity).toBeCloseTo(1, 10);
});

test("advice without an answer line and removed skills are no cases", () => {
  const book = bookOf(["Reset my password", "link"]);
  book.apply([
    { type: "ADD", section: "advice", content: "Reset passwords with care." },
    { type: "ADD", section: "advice", content: "Reset passwords.\nAnswer:" },
  ]);
  const index = new CaseIndex();
  index.sync(book);
  expect(index.size).toBe(1);
  book.apply([{ type: "REMOVE", skillId: "cases-00001" }]);
  index.sync(book);
  expect(index.size).toBe(0);
  expect(index.nearest(caseText("Reset my password"), 5)).toEqual([]);
});

test("follows updates, tags and a change of book", () => {
  const book = bookOf(["Reset my password", "link"], ["Open the gate", "gate"]);
  const index = new CaseIndex();
  index.sync(book);
  book.apply([
    { type: "UPDATE", skillId: "cases-00001", content: withAnswer("Reset my password", "form") },
    { type: "TAG", skillId: "cases-00002", tag: "helpful" },
  ]);
  index.sync(book);
  expect(index.nearest("Reset my password", 1)[0]?.answer).toBe("form");
  expect(index.nearest("Open the gate", 1)[0]?.skill.helpful).toBe(1);
  expect(index.withText("Reset my password").map(({ id }) => id)).toEqual(["cases-00001"]);

  index.sync(bookOf(["Bake bread", "oven"]));
  expect(index.size).toBe(1);
  expect(index.nearest("Open the gate", 1)).toEqual([]);
  expect(index.withText("Reset my password")).toEqual([]);
});

test("property: after any history an index gives what a fresh one gives, digit for digit", () => {
  const words = fc.array(fc.constantFrom(..."red green blue gate pass card fee door".split(" ")), {
    minLength: 1,
    maxLength: 6,
  });
  const step = fc.oneof(
    fc.record({ kind: fc.constant("add" as const), words, answer: fc.constantFrom("a", "b", "c") }),
    fc.record({
      kind: fc.constant("update" as const),
      at: fc.nat(30),
      words,
      answer: fc.constantFrom("a", "b"),
    }),
    fc.record({ kind: fc.constant("remove" as const), at: fc.nat(30) }),
    fc.record({ kind: fc.constant("tag" as const), at: fc.nat(30) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), words, (steps, asked) => {
      const book = new Skillbook();
      const index = new CaseIndex();
      for (const change of steps) {
        if (change.kind === "add") {
          book.apply([
            {
              type: "ADD",
              section: "cases",
              content: withAnswer(change.words.join(" "), change.answer),
            },
          ]);
        } else {
          const skill = book.skills()[change.at % Math.max(1, book.size)];
          if (skill === undefined) continue;
          const skillId = skill.id;
          if (change.kind === "remove") book.apply([{ type: "REMOVE", skillId }]);
          else if (change.kind === "tag") book.apply([{ type: "TAG", skillId, tag: "helpful" }]);
          else {
            const content = withAnswer(change.words.join(" "), change.answer);
            book.apply([{ type: "UPDATE", skillId, content }]);
          }
        }
        index.sync(book);
      }
      const fresh = new CaseIndex();
      fresh.sync(book);
      expect(index.size).toBe(fresh.size);
      const question = asked.join(" ");
      expect(index.nearest(question, 20)).toEqual(fresh.nearest(question, 20));
    }),
    { numRuns: 60 },
  );
});

test("a feature counts the more, the more its cases agree", () => {
  const book = new Skillbook();
  const index = new CaseIndex();
  addLessons(book, [
    ["invoice monday alpha", "billing"],
    ["invoice tuesday beta", "billing"],
    ["invoice friday gamma", "billing"],
    ["today sunday delta", "gate"],
    ["today monday epsilon", "shop"],
    ["today friday zeta", "staff"],
  ]);
  index.sync(book);
  const scores = new Map(nearest(index, "invoice today"));
  expect(scores.get("cases-00002")).toBeGreaterThan(scores.get("cases-00004") ?? 1);
});
