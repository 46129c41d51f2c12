import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { questions, testRoles, wait } from "../runner/test-roles.ts";

test("weak point 22: the next epoch answers with everything that the last one taught", async () => {
  const seen: number[] = [];
  const roles = testRoles({
    answer: ({ skillbook }) => {
      seen.push(skillbook.size);
      return { reasoning: "", finalAnswer: "", skillIds: [] };
    },
    update: async ({ question, progress }) => {
      await wait(3);
      return [{ type: "ADD", section: "x", content: `${question} in ${progress}` }];
    },
  });
  await Ace.fromRoles(roles, { workers: 8 }).learn(questions("a", "b", "c"), { epochs: 3 });
  expect(seen).toEqual([0, 0, 0, 3, 3, 3, 6, 6, 6]);
});
