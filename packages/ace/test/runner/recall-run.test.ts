import { FakeClock } from "@acumen/testkit";
import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";

const TOPICS = {
  billing: ["invoice charged twice", "refund for my last payment", "card was declined at payment"],
  access: ["forgot my password", "cannot log in to my account", "two factor code never arrives"],
  shipping: ["parcel has not arrived", "courier lost the parcel", "change the delivery address"],
};
const samples = Object.entries(TOPICS).flatMap(([groundTruth, texts]) =>
  texts.map((question) => ({ question, groundTruth })),
);

async function learned(workers: number) {
  const ace = await Ace.fromModel("builtin/recall", { workers, clock: new FakeClock() });
  await ace.learn(samples, { epochs: 2 });
  return ace;
}

test("the embedded model learns the same book whatever workers says", async () => {
  const one = await learned(1);
  const eight = await learned(8);
  expect(eight.skillbook.toRecord()).toEqual(one.skillbook.toRecord());
  expect(one.skillbook.size).toBeGreaterThan(0);
});

test("what was learned answers similar questions, citing the skills it came from", async () => {
  const ace = await learned(4);
  const { answer, skillIds } = await ace.ask("my payment card was declined");
  expect(answer).toBe("billing");
  expect(skillIds.length).toBeGreaterThan(0);
  for (const id of skillIds) expect(ace.skillbook.get(id)?.sources).not.toEqual([]);
});

test("feedback corrects an answer", async () => {
  const ace = await learned(4);
  const question = "the invoice shows a wrong tax number";
  const { answer } = await ace.ask(question);
  await ace.learnFromFeedback({
    question,
    answer,
    feedback: "wrong, this goes to accounting",
    groundTruth: "accounting",
  });
  expect((await ace.ask(question)).answer).toBe("accounting");
});
