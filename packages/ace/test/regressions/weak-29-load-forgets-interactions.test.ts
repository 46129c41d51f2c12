import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { questions, testRoles, wait } from "../runner/test-roles.ts";

test("weak point 29: feedback after a load cites no skill of the old book", async () => {
  await using folder = await tempFolder();
  const skillbook = new Skillbook();
  skillbook.apply([{ type: "ADD", section: "x", content: "Old." }]);
  const roles = testRoles({
    answer: () => ({ reasoning: "", finalAnswer: "a", skillIds: ["x-00001"] }),
  });
  const ace = Ace.fromRoles(roles, { skillbook });
  const { interactionId } = await ace.ask("q");
  await ace.save(folder.join("book.json"));
  await ace.load(folder.join("book.json"));
  const report = await ace.learnFromFeedback({
    question: "q",
    answer: "a",
    feedback: "wrong",
    interactionId,
  });
  expect(report.matchedInteraction).toBe(false);
  expect(roles.calls.reflector[0]?.citedSkills).toEqual([]);
});

test("weak point 29: learning in flight ends before the book changes, so no lesson goes to a discarded book", async () => {
  await using folder = await tempFolder();
  const roles = testRoles({
    update: async ({ question }) => {
      await wait(5);
      return [{ type: "ADD", section: "x", content: question }];
    },
  });
  const ace = Ace.fromRoles(roles);
  await ace.save(folder.join("empty.json"));
  const discarded = ace.skillbook;
  const learning = ace.learn(questions("a", "b"));
  await ace.load(folder.join("empty.json"));
  const sizeAtLoad = discarded.size;
  await learning;
  expect(sizeAtLoad).toBe(2);
  expect(discarded.size).toBe(2);
  expect(ace.skillbook.size).toBe(0);
});
