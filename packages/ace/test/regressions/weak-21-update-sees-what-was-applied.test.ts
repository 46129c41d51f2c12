import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { contents, questions, testRoles, wait } from "../runner/test-roles.ts";

test("weak point 21: an update sees every earlier sample applied, so it proposes no duplicate from a stale book", async () => {
  const sizes: number[] = [];
  const roles = testRoles({
    answer: async ({ question }) => {
      await wait(question === "first" ? 15 : 0);
      return { reasoning: "", finalAnswer: "", skillIds: [] };
    },
    update: async ({ skillbook, question }) => {
      sizes.push(skillbook.size);
      const isKnown = skillbook.skills().some((skill) => skill.section === "shared");
      await wait(2);
      return isKnown ? [] : [{ type: "ADD", section: "shared", content: `Found by ${question}` }];
    },
  });
  const ace = Ace.fromRoles(roles, { workers: 4 });
  await ace.learn(questions("first", "second", "third", "fourth"));
  expect(sizes).toEqual([0, 1, 1, 1]);
  expect(contents(ace.skillbook.skills())).toEqual(["Found by first"]);
});
