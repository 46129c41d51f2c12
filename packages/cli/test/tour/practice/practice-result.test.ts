import { expect, test } from "vitest";
import {
  practiceFailures,
  type PracticeResult,
} from "../../../src/tour/practice/practice-result.ts";
import { exampleResult } from "../example-result.ts";

const { practice: good } = exampleResult();
const { tests, session, lesson } = good;

test("a good act has no failures", () => {
  expect(practiceFailures(good)).toEqual([]);
});

const changes: [string, Partial<PracticeResult>, string][] = [
  ["a test that passes before", { tests: { ...tests, before: tests.after } }, "should fail before"],
  ["a test that fails after", { tests: { ...tests, after: tests.before } }, "1 tests fail"],
  [
    "a test that is gone",
    { tests: { ...tests, after: { exitCode: 0, passed: 1, failed: 0 } } },
    "0 tests fail and 1 pass",
  ],
  ["a changed test", { changedFiles: ["prices.test.mjs", "prices.mjs"] }, "prices.test.mjs"],
  ["no change", { changedFiles: [] }, "no file"],
  ["a turn that was cut", { session: { ...session, stopReason: "max_tokens" } }, "max_tokens"],
  ["a gap in the log", { session: { ...session, gapFree: false } }, "gaps"],
  ["a command that nobody allowed", { session: { ...session, approved: 1 } }, "1 calls were asked"],
  ["a change that nobody allowed", { session: { ...session, approvedChanges: 0 } }, "0 of them"],
  ["a forgotten answer", { session: { ...session, remembered: 0 } }, "not remembered"],
  ["nothing proposed", { lesson: { ...lesson, proposed: 0 } }, "0 proposals"],
  [
    "a skill before its review",
    { lesson: { ...lesson, absentBefore: false } },
    "before the review",
  ],
  [
    "a next session that fails",
    { lesson: { ...lesson, next: { ...lesson.next, exitCode: 1 } } },
    "exit code 1",
  ],
  [
    "a prompt without the skill",
    { lesson: { ...lesson, next: { ...lesson.next, applied: [] } } },
    "does not stand in the prompt",
  ],
];
test.each(changes)("fails for %s", (_case, change, text) => {
  const failures = practiceFailures({ ...good, ...change });
  expect(failures.join("\n")).toContain(text);
});

test("nothing accepted is no success, whatever the next session says", () => {
  const failures = practiceFailures({ ...good, lesson: { ...lesson, accepted: [] } });
  expect(failures).toEqual([
    "0 skills were accepted",
    "the accepted skill does not stand in the prompt of the next session",
  ]);
});
