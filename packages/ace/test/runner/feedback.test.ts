import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { forever, testRoles, wait } from "./test-roles.ts";

/** Answers with the given texts in turn, citing the first skill. */
function aceThatAnswers(...answers: string[]) {
  const skillbook = new Skillbook();
  skillbook.apply([{ type: "ADD", section: "x", content: "Known." }]);
  let turn = 0;
  const roles = testRoles({
    answer: ({ question }) => ({
      reasoning: `thinking about ${question}`,
      finalAnswer: answers[turn++] ?? "?",
      skillIds: ["x-00001"],
    }),
  });
  return { ace: Ace.fromRoles(roles, { skillbook }), roles };
}

test("feedback for an interaction brings its question, context, reasoning and cited skills", async () => {
  const { ace, roles } = aceThatAnswers("Berlin");
  await ace.ask("Capital of Germany?", { context: "for a quiz" });
  const report = await ace.learnFromFeedback({
    question: "capital of germany",
    answer: "Berlin",
    feedback: "Correct, well done.",
  });
  expect(report).toEqual({
    matchedInteraction: true,
    skillCountBefore: 1,
    skillCountAfter: 2,
    newSkillCount: 1,
  });
  expect(roles.calls.reflector[0]).toMatchObject({
    question: "Capital of Germany?",
    context: "for a quiz",
    reasoning: "thinking about Capital of Germany?",
    answer: "Berlin",
    feedback: "Correct, well done.",
    evaluation: { correct: true },
    citedSkills: [{ id: "x-00001" }],
  });
});

test("without a matching interaction the given fields are all there is", async () => {
  const { ace, roles } = aceThatAnswers("Berlin");
  await ace.ask("Capital of Germany?");
  const report = await ace.learnFromFeedback({
    question: "Capital of France?",
    answer: "Lyon",
    feedback: "That is wrong.",
    context: "for a quiz",
  });
  expect(report.matchedInteraction).toBe(false);
  const [input] = roles.calls.reflector;
  expect(input).toMatchObject({
    question: "Capital of France?",
    context: "for a quiz",
    answer: "Lyon",
    evaluation: { correct: false },
    citedSkills: [],
  });
  expect(input).not.toHaveProperty("reasoning");
  expect(input).not.toHaveProperty("groundTruth");
});

test("of several interactions with one question the answer decides, and the id decides over all", async () => {
  const { ace, roles } = aceThatAnswers("one", "two", "two");
  const first = await ace.ask("q", { context: "c1" });
  await ace.ask("q", { context: "c2" });
  await ace.ask("q", { context: "c3" });
  const judged = async (answer: string, interactionId?: string) => {
    const { matchedInteraction } = await ace.learnFromFeedback({
      question: "q",
      answer,
      feedback: "ok",
      ...(interactionId !== undefined && { interactionId }),
    });
    return matchedInteraction ? roles.calls.reflector.at(-1)?.context : "no match";
  };
  expect(await judged("One!")).toBe("c1");
  expect(await judged("two")).toBe("c3");
  expect(await judged("three")).toBe("no match");
  expect(await judged("two", first.interactionId)).toBe("c1");
  expect(await judged("two", "01J00000000000000000000000")).toBe("no match");
});

test("a ground truth outweighs the words of the feedback", async () => {
  const { ace, roles } = aceThatAnswers();
  await ace.learnFromFeedback({
    question: "q",
    answer: "Paris",
    feedback: "Wrong!",
    groundTruth: "paris",
  });
  await ace.learnFromFeedback({
    question: "q",
    answer: "Rome",
    feedback: "",
    groundTruth: "paris",
  });
  expect(roles.calls.reflector.map((input) => input.evaluation?.correct)).toEqual([true, false]);
  expect(roles.calls.reflector[0]).toMatchObject({ feedback: "Wrong!", groundTruth: "paris" });
});

test("feedback without a verdict is passed on without one", async () => {
  const { ace, roles } = aceThatAnswers();
  await ace.learnFromFeedback({
    question: "q",
    answer: "a",
    feedback: "The office opens at nine.",
  });
  expect(roles.calls.reflector[0]?.evaluation).toEqual({
    feedback: "The office opens at nine.",
    metrics: {},
  });
});

test("context that only the feedback brings reaches the reflector beside the interaction's own", async () => {
  const { ace, roles } = aceThatAnswers("a", "b");
  await ace.ask("q1");
  await ace.ask("q2", { context: "asked in May" });
  const give = (question: string) =>
    ace.learnFromFeedback({ question, answer: "a", feedback: "ok", context: "rated in June" });
  await give("q1");
  await give("q2");
  const [empty, full] = roles.calls.reflector;
  expect(empty).toMatchObject({ context: "rated in June" });
  expect(empty).not.toHaveProperty("trace");
  expect(full).toMatchObject({ context: "asked in May" });
  expect(full?.trace).toContain("rated in June");
});

test("skills from feedback carry the interaction as their source", async () => {
  const { ace } = aceThatAnswers("a");
  const { interactionId } = await ace.ask("q");
  await ace.learnFromFeedback({ question: "q", answer: "a", feedback: "right" });
  expect(ace.skillbook.skills().at(-1)?.sources).toMatchObject([
    { traceUid: `feedback:${interactionId}`, origin: "feedback", sampleQuestion: "q" },
  ]);
});

test("only the last 32 interactions are remembered", async () => {
  const { ace } = aceThatAnswers();
  for (let index = 0; index < 33; index += 1) await ace.ask(`question ${index}`);
  const matched = async (question: string) =>
    (await ace.learnFromFeedback({ question, answer: "?", feedback: "ok" })).matchedInteraction;
  expect(await matched("question 0")).toBe(false);
  expect(await matched("question 1")).toBe(true);
});

test("rejects with a coded error: bad fields, a failing role, an abort; nothing is learned then", async () => {
  const given = { question: "q", answer: "a", feedback: "good" };
  const ace = Ace.fromRoles(
    testRoles({
      update: () => {
        throw new Error("boom");
      },
    }),
  );
  await expect(ace.learnFromFeedback({ ...given, feedback: " " })).rejects.toMatchObject({
    code: "ACE_OPTION_INVALID",
    details: { option: "feedback" },
  });
  await expect(ace.learnFromFeedback({ ...given, question: "" })).rejects.toMatchObject({
    details: { option: "question" },
  });
  await expect(ace.learnFromFeedback(given)).rejects.toMatchObject({ code: "ACE_ROLE_FAILED" });
  const stuck = Ace.fromRoles(testRoles({ reflect: forever }));
  await expect(
    stuck.learnFromFeedback({ ...given, signal: AbortSignal.timeout(5) }),
  ).rejects.toMatchObject({ code: "CORE_ABORTED" });
  await wait(5);
  expect(ace.skillbook.size + stuck.skillbook.size).toBe(0);
});
