import { expect, test } from "vitest";
import { readText } from "./support/repository.ts";

const FACADE = "packages/facade/test";

/** Failures of other implementations of plans, and the tests that show that they do not occur here. */
const FAILURES: readonly (readonly [failure: string, file: string, name: string])[] = [
  [
    "a failed merge leaves conflict markers and MERGE_HEAD",
    `${FACADE}/sandbox/git-sandboxes.process.test.ts`,
    "a conflict leaves the user's repository as it was, byte for byte",
  ],
  [
    "the text of a conflict is lost, because it stands on the other stream",
    `${FACADE}/regressions/facade-fault-16-half-merged.process.test.ts`,
    "a conflict leaves a real repository as it was, and the plan constrained with its paths",
  ],
  [
    "a second execute deletes the finished branch, and apply merges nothing and says applied",
    `${FACADE}/plans/real-attempts.process.test.ts`,
    "a second execute leaves the finished branch as it is, the diff shows its lines, and apply merges them",
  ],
  [
    "an apply without a branch says applied",
    `${FACADE}/regressions/facade-fault-13-execute-again.test.ts`,
    "an apply whose sandbox is gone is an error, and never zero files applied",
  ],
  [
    "a diff shows hashes alone, or no changes",
    `${FACADE}/sandbox/git-sandboxes.process.test.ts`,
    "a change goes from the base through a checkpoint and a diff into the checked-out branch",
  ],
  [
    "apply goes around the validations",
    `${FACADE}/regressions/facade-fault-17-gates-around-apply.test.ts`,
    "validations are those of the base: what an attempt writes into the action changes nothing",
  ],
  [
    "a swallowed error lets apply say applied while the plan is not",
    `${FACADE}/plans/real-attempts.process.test.ts`,
    "a fault while a change is applied is an error in the answer and in the plan, and never a receipt",
  ],
  [
    "cancel leaves work trees",
    `${FACADE}/plans/real-attempts.process.test.ts`,
    "a cancel leaves no copy, branch, work tree or file, wherever it comes",
  ],
  [
    "a leftover branch breaks the next execute",
    `${FACADE}/plans/real-attempts.process.test.ts`,
    "what a failed attempt leaves does not break the next one, whose change alone is merged",
  ],
  [
    "a revert goes on from the old base",
    `${FACADE}/plans/real-attempts.process.test.ts`,
    "a revert begins at the target of now, and its change goes in where the one before was refused",
  ],
  [
    "two callers execute or apply one plan at once",
    `${FACADE}/regressions/facade-fault-14-calls-at-once.test.ts`,
    "many executes run the executor once, many applies merge once",
  ],
  [
    "the limit of plans at once is ignored",
    `${FACADE}/plans/engine.test.ts`,
    "runs four plans at once and no more, and shares them among projects",
  ],
];

test.each(FAILURES)("failures of other implementations: %s", (_failure, file, name) => {
  expect(readText(file)).toContain(name);
});
