import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { testRoles } from "../runner/test-roles.ts";

const feedback = { question: "q", answer: "a", feedback: "good" };

test("weak point 3: feedback that could not be learned is an error, told apart from disabled learning, and tried once", async () => {
  const roles = testRoles({
    reflect: () => {
      throw new Error("provider down");
    },
  });
  const ace = Ace.fromRoles(roles);
  await ace.ask("q");
  await expect(ace.learnFromFeedback(feedback)).rejects.toMatchObject({ code: "ACE_ROLE_FAILED" });
  expect(roles.calls.reflector).toHaveLength(1);
  ace.disableLearning();
  await expect(ace.learnFromFeedback(feedback)).rejects.toMatchObject({
    code: "ACE_LEARNING_DISABLED",
  });
  expect(roles.calls.reflector).toHaveLength(1);
});

test("weak point 3: feedback for a known interaction is learned once, not again from a trace", async () => {
  const roles = testRoles();
  const ace = Ace.fromRoles(roles);
  await ace.ask("q");
  const report = await ace.learnFromFeedback(feedback);
  expect(report).toMatchObject({ matchedInteraction: true, newSkillCount: 1 });
  expect(roles.calls.reflector).toHaveLength(1);
  expect(roles.calls.skillManager).toHaveLength(1);
});
