import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { testRoles } from "../runner/test-roles.ts";

test("weak point 18: traces of any shape reach the reflector", async () => {
  const roles = testRoles();
  const report = await Ace.fromRoles(roles).learnFromTraces(
    [
      "user: fix the build\ntool: exit code 2",
      [{ role: "user", content: "fix the build" }],
      { task: "fix the build", exit_code: 2 },
    ],
    { workers: 1 },
  );
  expect(report.processed).toBe(3);
  expect(roles.calls.reflector.map((input) => input.trace)).toEqual([
    "user: fix the build\ntool: exit code 2",
    "steps:\n[1] role: user\n  content: fix the build",
    "task: fix the build\nexit_code: 2",
  ]);
});

test("weak point 18: a trace without reasoning or answer still brings what it has", async () => {
  const roles = testRoles();
  await Ace.fromRoles(roles).learnFromTraces([
    { question: "q", feedback: "too slow", steps: ["a"] },
  ]);
  const [input] = roles.calls.reflector;
  expect(input).toMatchObject({ question: "q", answer: "", feedback: "too slow" });
  expect(input?.trace).toBe("steps:\n[1] a");
  expect(input).not.toHaveProperty("reasoning");
});
