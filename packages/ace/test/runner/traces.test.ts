import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTrace, sampleOfTrace } from "../../src/runner/traces.ts";

test("known keys become fields", () => {
  expect(
    parseTrace({
      question: "q",
      context: "c",
      reasoning: "r",
      answer: "a",
      feedback: "f",
      ground_truth: "g",
      skill_ids: ["x-00001"],
    }),
  ).toEqual({
    question: "q",
    context: "c",
    reasoning: "r",
    answer: "a",
    feedback: "f",
    groundTruth: "g",
    skillIds: ["x-00001"],
  });
});

test("steps and unknown keys are rendered for the reflector", () => {
  const trace = parseTrace({ question: "q", steps: [{ role: "user", content: "hi" }], exit: 1 });
  expect(trace.notes).toBe("steps:\n[1] role: user\n  content: hi\nexit: 1");
});

test("known keys of another type become text, null ones are absent", () => {
  expect(
    parseTrace({
      question: ["a", "b"],
      answer: 42,
      feedback: false,
      reasoning: null,
      context: null,
    }),
  ).toEqual({ question: "- a\n- b", context: "", answer: "42", feedback: "false" });
});

test("blank texts are absent, but a blank answer is an answer", () => {
  const trace = parseTrace({ question: "q", answer: "", feedback: " ", ground_truth: "" });
  expect(trace).toEqual({ question: "q", context: "", answer: "" });
});

test("camelCase keys are known too; the original's spelling wins and nothing is dropped", () => {
  expect(parseTrace({ groundTruth: "g", skillIds: ["x-00001"] })).toMatchObject({
    groundTruth: "g",
    skillIds: ["x-00001"],
  });
  expect(parseTrace({ ground_truth: "snake", groundTruth: "camel" })).toMatchObject({
    groundTruth: "snake",
    notes: "groundTruth: camel",
  });
  expect(parseTrace({ skill_ids: 7 }).notes).toBe("skill_ids: 7");
});

test.each([
  ["a text", "the run failed", "the run failed"],
  ["a number", 7, "7"],
  ["a list", ["did x", "did y"], "steps:\n[1] did x\n[2] did y"],
])("%s is a trace of notes only", (_name, value, notes) => {
  expect(parseTrace(value)).toEqual({ question: "", context: "", notes });
});

test.each([[null], [undefined], [""], [" \n"], [[]], [{}], [{ question: " ", answer: null }]])(
  "%j says nothing and is refused",
  (value) => {
    expect(() => parseTrace(value)).toThrow(expect.objectContaining({ code: "ACE_TRACE_INVALID" }));
  },
);

test("a value that throws when it is read is refused, not fatal", () => {
  const hostile = {
    get question() {
      throw new Error("gotcha");
    },
  };
  expect(() => parseTrace(hostile)).toThrow(expect.objectContaining({ code: "ACE_TRACE_INVALID" }));
});

test("the trace as a sample holds what an environment needs", () => {
  const trace = parseTrace({ question: "q", context: "c", answer: "a", ground_truth: "g" });
  expect(sampleOfTrace(trace)).toEqual({ question: "q", context: "c", groundTruth: "g" });
});

test("property: no key of an object is dropped", () => {
  const key = fc.stringMatching(/^[a-z]{3,12}$/);
  fc.assert(
    fc.property(
      fc.dictionary(key, fc.stringMatching(/^[A-Z]{3,20}$/), { minKeys: 1, maxKeys: 12 }),
      (value) => {
        const trace = parseTrace(value);
        const everything = JSON.stringify(trace);
        for (const text of Object.values(value)) expect(everything).toContain(text);
      },
    ),
  );
});
