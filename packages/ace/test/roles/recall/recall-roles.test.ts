import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { scorers } from "../../../src/evaluation/scorers.ts";
import { CaseIndex } from "../../../src/roles/recall/case-index.ts";
import { caseText } from "../../../src/roles/recall/case-text.ts";
import { createRecallRoles } from "../../../src/roles/recall/index.ts";
import { countVotes, votersOf } from "../../../src/roles/recall/vote.ts";
import { Ace } from "../../../src/runner/ace.ts";
import { answerOf } from "../../../src/text/answer-line.ts";
import { LEARNED, type Ticket, UNSEEN } from "./tickets.ts";

const samples = (tickets: readonly Ticket[]) =>
  tickets.map(({ text, queue }) => ({ question: text, groundTruth: queue }));

async function taught(tickets: readonly Ticket[] = LEARNED, workers = 4): Promise<Ace> {
  const ace = Ace.fromRoles(createRecallRoles(), { workers });
  await ace.learn(samples(tickets));
  return ace;
}

async function accuracy(ace: Ace): Promise<number> {
  let right = 0;
  for (const { text, queue } of UNSEEN) {
    right += scorers.exact((await ace.ask(text)).answer, queue);
  }
  return right / UNSEEN.length;
}

test("with an empty book nothing is known and nothing is cited", async () => {
  const ace = Ace.fromRoles(createRecallRoles());
  expect(await ace.ask("Where does this go?")).toMatchObject({
    answer: "I have not learned this yet.",
    skillIds: [],
  });
  expect(await accuracy(ace)).toBe(0);
});

test("answers unseen questions of the learned kind, and at most half of them when the labels are shuffled", async () => {
  expect(await accuracy(await taught())).toBeGreaterThanOrEqual(0.75);
  const shuffled = LEARNED.map(({ text }, i) => ({
    text,
    queue: LEARNED[(i * 7 + 3) % LEARNED.length]?.queue ?? "",
  }));
  expect(await accuracy(await taught(shuffled))).toBeLessThanOrEqual(0.5);
});

test("an answer is the vote of the cases that it cites", async () => {
  const ace = await taught();
  const index = new CaseIndex();
  index.sync(ace.skillbook);
  for (const { text } of UNSEEN) {
    const { answer, skillIds, reasoning } = await ace.ask(text);
    const voters = votersOf(index, caseText(text));
    expect(skillIds).toEqual(voters.map(({ skill }) => skill.id));
    expect(skillIds.length).toBeGreaterThan(0);
    expect(answer).toBe(countVotes(voters)?.answer);
    for (const id of skillIds) expect(reasoning).toContain(`[${id}]`);
  }
});

test("has no memory but the book: new roles on the saved book answer alike", async () => {
  await using folder = await tempFolder();
  const ace = await taught();
  const path = `${folder.path}/book.json`;
  await ace.save(path);
  const other = Ace.fromRoles(createRecallRoles());
  await other.load(path);
  for (const { text } of UNSEEN) {
    const { interactionId: _one, ...before } = await ace.ask(text);
    const { interactionId: _two, ...after } = await other.ask(text);
    expect(after).toEqual(before);
  }
});

test("without the cases that it cites, every answer rests on other cases, and nine in ten are other answers", async () => {
  const ace = await taught();
  let changed = 0;
  for (const { text } of UNSEEN) {
    const before = await ace.ask(text);
    expect(before.skillIds).not.toEqual([]);
    const book = ace.skillbook.clone();
    book.apply(before.skillIds.map((skillId) => ({ type: "REMOVE", skillId })));
    const after = await Ace.fromRoles(createRecallRoles(), { skillbook: book }).ask(text);
    expect(after.skillIds.filter((id) => before.skillIds.includes(id))).toEqual([]);
    if (after.answer !== before.answer) changed++;
  }
  expect(changed / UNSEEN.length).toBeGreaterThanOrEqual(0.9);
});

test("the book is the same for any number of workers", async () => {
  const books = await Promise.all(
    [1, 4, 8].map(async (workers) => (await taught(LEARNED, workers)).skillbook),
  );
  const [one, ...others] = books.map((book) =>
    book
      .skills()
      .map(({ id, content, helpful, harmful, neutral }) => [
        id,
        content,
        helpful,
        harmful,
        neutral,
      ]),
  );
  for (const other of others) expect(other).toEqual(one);
});

test("feedback without a truth: praise makes a lesson, blame weakens the case that misled, and neither is made up", async () => {
  const ace = await taught();
  const [ticket] = UNSEEN;
  const question = ticket?.text ?? "";
  const { answer, skillIds } = await ace.ask(question);
  const before = ace.skillbook.size;
  await ace.learnFromFeedback({ question, answer, feedback: "That's wrong." });
  expect(ace.skillbook.size).toBe(before);
  const blamed = skillIds.filter((id) => (ace.skillbook.get(id)?.harmful ?? 0) > 0);
  expect(blamed.length).toBeGreaterThan(0);
  for (const id of blamed) expect(answerOf(ace.skillbook.get(id)?.content ?? "")).toBe(answer);

  await ace.learnFromFeedback({ question, answer, feedback: "What do you mean?" });
  expect(ace.skillbook.size).toBe(before);
  await ace.learnFromFeedback({
    question: "Wo steht die Presse?",
    answer: "Halle 3",
    feedback: "Correct!",
  });
  expect((await ace.ask("Wo steht die Presse?")).answer).toBe("Halle 3");
});

test("a correction in words is learned, and a later truth replaces it", async () => {
  const ace = Ace.fromRoles(createRecallRoles());
  const question = "Which account takes freight costs?";
  const { answer } = await ace.ask(question);
  await ace.learnFromFeedback({ question, answer, feedback: "No, it should be acct_4711." });
  expect((await ace.ask(question)).answer).toBe("acct_4711");
  await ace.learnFromFeedback({
    question,
    answer: "acct_4711",
    feedback: "wrong",
    groundTruth: "acct_9",
  });
  expect((await ace.ask(question)).answer).toBe("acct_9");
  expect(ace.skillbook.size).toBe(1);
});

test("a long question is stored as a shortened case and found again", async () => {
  const ace = Ace.fromRoles(createRecallRoles());
  const question = `What is "47" here? ${"filler words around it ".repeat(60)} the gearbox holds 47 litres of oil ${"and more of them ".repeat(60)}`;
  await ace.learn([{ question, groundTruth: "OilVolume" }]);
  const [skill] = ace.skillbook.skills();
  expect(skill?.content.length).toBeLessThan(1_000);
  expect(skill?.content).toContain("the gearbox holds 47 litres of oil");
  expect(skill?.content.endsWith("\nAnswer: OilVolume")).toBe(true);
  expect((await ace.ask(question)).answer).toBe("OilVolume");
});

test("an answer too long for a lesson teaches nothing rather than half of it", async () => {
  const ace = Ace.fromRoles(createRecallRoles());
  await ace.learn([{ question: "Recite it all", groundTruth: "line ".repeat(1_000) }]);
  expect(ace.skillbook.size).toBe(0);
});
