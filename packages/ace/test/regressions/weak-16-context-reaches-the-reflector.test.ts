import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { testRoles } from "../runner/test-roles.ts";

test("weak point 16: the context of a sample and the metrics of its environment reach reflector and skill manager", async () => {
  const roles = testRoles();
  const evaluation = {
    correct: false,
    score: 0.2,
    feedback: "2 of 10 pass",
    metrics: { passed: 2 },
  };
  const ace = Ace.fromRoles(roles, { environment: { evaluate: () => evaluation } });
  await ace.learn([{ question: "q", context: "in metres" }]);
  expect(roles.calls.reflector[0]).toMatchObject({ context: "in metres", evaluation });
  expect(roles.calls.skillManager[0]).toMatchObject({ context: "in metres", evaluation });
});

test("weak point 16: the context of an ask reaches the reflector with its feedback", async () => {
  const roles = testRoles();
  const ace = Ace.fromRoles(roles);
  await ace.ask("q", { context: "in metres" });
  await ace.learnFromFeedback({ question: "q", answer: "unknown", feedback: "wrong" });
  expect(roles.calls.reflector[0]).toMatchObject({ context: "in metres" });
  expect(roles.calls.skillManager[0]).toMatchObject({ context: "in metres", feedback: "wrong" });
});
