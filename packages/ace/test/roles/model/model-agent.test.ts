import { expect, test } from "vitest";
import { ModelAgent } from "../../../src/roles/model/model-agent.ts";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { agentInput } from "./sample-inputs.ts";
import { stubModel } from "./stub-model.ts";

const ANSWER = { reasoning: "1. Think.", final_answer: "59.44", skill_ids: [] as string[] };

test("gives the answer with the facts of the call", async () => {
  const model = stubModel(ANSWER);
  expect(await new ModelAgent(model).answer(agentInput())).toEqual({
    reasoning: "1. Think.",
    finalAnswer: "59.44",
    skillIds: [],
    raw: { model: "stub/one", attempts: 1, usage: { inputTokens: 10, outputTokens: 5 } },
  });
});

test.each([
  ["the list", { skill_ids: ["tax-00001"] }, ["tax-00001"]],
  ["the list, in brackets", { skill_ids: ["[tax-00001]"] }, ["tax-00001"]],
  ["the reasoning", { reasoning: "1. [rounding-00002] Round." }, ["rounding-00002"]],
  ["the answer", { final_answer: "59.44 (tax-00001)" }, ["tax-00001"]],
  [
    "both, in the order of the first mention",
    { reasoning: "[rounding-00002]", skill_ids: ["tax-00001", "rounding-00002"] },
    ["rounding-00002", "tax-00001"],
  ],
  ["nowhere, ids that were not shown", { skill_ids: ["tax-00009"], reasoning: "[x-00001]" }, []],
  ["no list at all", { skill_ids: null }, []],
])("citations are found in %s", async (_place, part, expected) => {
  const model = stubModel({ ...ANSWER, ...part });
  const { skillIds } = await new ModelAgent(model).answer(agentInput());
  expect(skillIds).toEqual(expected);
});

test("a skill that is in the book but was not shown cannot be cited", async () => {
  const skillbook = new Skillbook();
  skillbook.apply([{ type: "ADD", section: "bad", content: "Guess." }]);
  skillbook.apply(
    Array.from({ length: 3 }, () => ({ type: "TAG", skillId: "bad-00001", tag: "harmful" })),
  );
  const model = stubModel({ ...ANSWER, skill_ids: ["bad-00001"] });
  expect((await new ModelAgent(model).answer(agentInput({ skillbook }))).skillIds).toEqual([]);
});

test("asks for structured output at temperature 0, and leaves the output limit to the model's own", async () => {
  const model = stubModel(ANSWER);
  await new ModelAgent(model).answer(agentInput());
  expect(model.requests[0]).toMatchObject({
    temperature: 0,
    responseFormat: {
      type: "json",
      name: "agent_answer",
      schema: { required: ["reasoning", "final_answer"] },
    },
  });
  expect(model.requests[0]).not.toHaveProperty("maxOutputTokens");
});

test("passes its settings and the signal on", async () => {
  const model = stubModel(ANSWER);
  const { signal } = new AbortController();
  await new ModelAgent(model, { temperature: 0.7, maxTokens: 300 }).answer(agentInput({ signal }));
  expect(model.requests[0]).toMatchObject({ temperature: 0.7, maxOutputTokens: 300, signal });
});

test.each([
  ["text", "The answer is 59.44."],
  ["a missing field", { reasoning: "r" }],
  ["a blank answer", { ...ANSWER, final_answer: " \n" }],
  ["a number", { ...ANSWER, final_answer: 59.44 }],
])("an answer that is %s goes back to the model", async (_kind, wrong) => {
  const model = stubModel(wrong, wrong, ANSWER);
  const { finalAnswer, raw } = await new ModelAgent(model).answer(agentInput());
  expect(finalAnswer).toBe("59.44");
  expect(raw).toMatchObject({ attempts: 3, usage: { inputTokens: 30 } });
});

test("after four unusable answers the call fails with kind invalid_output", async () => {
  const model = stubModel("no JSON");
  await expect(new ModelAgent(model).answer(agentInput())).rejects.toMatchObject({
    code: "MODEL_FAILED",
    details: { kind: "invalid_output", provider: "stub", model: "one", retryable: false },
  });
  expect(model.requests).toHaveLength(4);
});
