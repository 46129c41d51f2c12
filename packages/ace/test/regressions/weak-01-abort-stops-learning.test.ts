import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { questions, testRoles, wait } from "../runner/test-roles.ts";

test.each(["answer", "reflect", "update"] as const)(
  "weak point 1: a deadline ends the call although the role of %s goes on, and nothing is committed behind the caller's back",
  async (slow) => {
    let finished = false;
    const late = async <T>(value: T): Promise<T> => {
      await wait(40);
      finished = true;
      return value;
    };
    const add = [{ type: "ADD", section: "x", content: "late" }];
    const roles = testRoles({
      ...(slow === "answer" && {
        answer: () => late({ reasoning: "", finalAnswer: "", skillIds: [] }),
      }),
      ...(slow === "reflect" && { reflect: () => late(undefined) }),
      update: () => (slow === "update" ? late(add) : add),
    });
    const ace = Ace.fromRoles(roles);
    const report = await ace.learn(questions("q"), { signal: AbortSignal.timeout(5) });
    expect(report).toMatchObject({ aborted: true, processed: 0, newSkillCount: 0 });
    expect(finished).toBe(false);
    const { revision } = ace.skillbook;
    await wait(60);
    expect(finished).toBe(true);
    expect(ace.skillbook.revision).toBe(revision);
    expect(ace.skillbook.size).toBe(0);
  },
);

test("weak point 1: the same for feedback", async () => {
  const roles = testRoles({
    update: async () => {
      await wait(30);
      return [{ type: "ADD", section: "x", content: "late" }];
    },
  });
  const ace = Ace.fromRoles(roles);
  await expect(
    ace.learnFromFeedback({
      question: "q",
      answer: "a",
      feedback: "good",
      signal: AbortSignal.timeout(5),
    }),
  ).rejects.toMatchObject({ code: "CORE_ABORTED" });
  await wait(50);
  expect(ace.skillbook.size).toBe(0);
});
