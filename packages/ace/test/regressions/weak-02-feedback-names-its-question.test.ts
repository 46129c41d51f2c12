import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { testRoles } from "../runner/test-roles.ts";

test("weak point 2: feedback on an earlier question does not train the answer of the last one", async () => {
  const roles = testRoles({
    answer: ({ question }) => ({
      reasoning: `about ${question}`,
      finalAnswer: `answer to ${question}`,
      skillIds: [],
    }),
  });
  const ace = Ace.fromRoles(roles);
  await ace.ask("first", { context: "context of the first" });
  await ace.ask("last");
  await ace.learnFromFeedback({
    question: "first",
    answer: "answer to first",
    feedback: "wrong",
  });
  await ace.learnFromFeedback({ question: "never asked", answer: "x", feedback: "wrong" });
  const [first, other] = roles.calls.reflector;
  expect(first).toMatchObject({
    question: "first",
    context: "context of the first",
    reasoning: "about first",
    answer: "answer to first",
  });
  expect(other).toMatchObject({ question: "never asked", answer: "x" });
  expect(other).not.toHaveProperty("reasoning");
});

test("weak point 2: an interaction id ties feedback to one of several equal questions", async () => {
  let turn = 0;
  const roles = testRoles({
    answer: () => ({ reasoning: `attempt ${++turn}`, finalAnswer: "same", skillIds: [] }),
  });
  const ace = Ace.fromRoles(roles);
  const { interactionId } = await ace.ask("q");
  await ace.ask("q");
  await ace.learnFromFeedback({ question: "q", answer: "same", feedback: "good", interactionId });
  expect(roles.calls.reflector[0]?.reasoning).toBe("attempt 1");
});
