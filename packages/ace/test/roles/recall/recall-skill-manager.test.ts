import { expect, test } from "vitest";
import { CaseIndex } from "../../../src/roles/recall/case-index.ts";
import { RecallSkillManager } from "../../../src/roles/recall/recall-skill-manager.ts";
import type { ReflectorOutput } from "../../../src/roles/reflector.ts";
import type { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { bookOf } from "./book-view.ts";

const CASE = "Which tray takes the blue forms of the northern office";

function reflection(
  learning: string,
  skillTags: ReflectorOutput["skillTags"] = [],
): ReflectorOutput {
  return {
    reasoning: "",
    errorIdentification: "",
    rootCauseAnalysis: "",
    correctApproach: "",
    keyInsight: "",
    extractedLearnings: [{ learning, atomicityScore: 1, evidence: "e", justification: "j" }],
    skillTags,
  };
}

async function operations(book: Skillbook, ...reflections: ReflectorOutput[]) {
  const manager = new RecallSkillManager(new CaseIndex());
  const { update } = await manager.update({
    progress: "Epoch 1/1, sample 1/1",
    reflections,
    skillbook: book,
    question: "",
    context: "",
    answer: "",
  });
  return update.operations;
}

test("adds a lesson for a new case, with its evidence and where it came from", async () => {
  expect(await operations(bookOf(), reflection(`${CASE}\nAnswer: A`))).toEqual([
    {
      type: "ADD",
      section: "cases",
      content: `${CASE}\nAnswer: A`,
      evidence: "e",
      justification: "j",
      reflectionIndex: 0,
      learningIndex: 0,
    },
  ]);
});

test("corrects the very same case when its answer is another one", async () => {
  expect(await operations(bookOf([CASE, "A"]), reflection(`${CASE}\nAnswer: B`))).toMatchObject([
    { type: "UPDATE", skillId: "cases-00001", content: `${CASE}\nAnswer: B` },
  ]);
});

test("merges a case into its twin: one credit, once", async () => {
  const book = bookOf([CASE, "A"]);
  const twin = `${CASE}, please\nAnswer: a`;
  const credit = { type: "TAG", skillId: "cases-00001", tag: "helpful" };
  expect(await operations(book, reflection(twin))).toMatchObject([credit]);
  const tagged = reflection(twin, [{ id: "cases-00001", tag: "helpful" }]);
  expect(await operations(book, tagged)).toMatchObject([credit]);
});

test("a twin with another answer stays a case of its own", async () => {
  const book = bookOf([CASE, "A"]);
  expect(await operations(book, reflection(`${CASE}, please\nAnswer: B`))).toMatchObject([
    { type: "ADD" },
  ]);
});

test("passes tags on, but none for skills that are gone", async () => {
  const book = bookOf([CASE, "A"], ["Another one", "B"]);
  book.apply([{ type: "REMOVE", skillId: "cases-00002" }]);
  const tags: ReflectorOutput["skillTags"] = [
    { id: "cases-00001", tag: "harmful" },
    { id: "cases-00002", tag: "neutral" },
    { id: "cases-00009", tag: "neutral" },
  ];
  const only = { ...reflection("", tags), extractedLearnings: [] };
  expect(await operations(book, only)).toEqual([
    { type: "TAG", skillId: "cases-00001", tag: "harmful", reflectionIndex: 0 },
  ]);
});

test("proposes nothing for nothing", async () => {
  expect(await operations(bookOf())).toEqual([]);
});
