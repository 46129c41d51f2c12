import { expect, test } from "vitest";
import { attachSources } from "../../../src/runner/provenance/attach-sources.ts";
import type { ReflectorOutput } from "../../../src/roles/reflector.ts";
import { reflection } from "../test-roles.ts";

const learned = (errorIdentification: string, ...learnings: string[]): ReflectorOutput =>
  reflection({
    errorIdentification,
    extractedLearnings: learnings.map((learning) => ({
      learning,
      atomicityScore: 1,
      evidence: "",
      justification: "",
    })),
  });

function sourcesOf(operation: Record<string, unknown>, reflections: readonly ReflectorOutput[]) {
  const [result] = attachSources([{ type: "ADD", content: "x", ...operation }], {
    identity: { sourceSystem: "sample", traceId: "q-17", displayName: "q-17" },
    origin: "sample",
    question: "How long is the fence?",
    epoch: 2,
    reflections,
  });
  return (result as { sources?: unknown }).sources;
}

test("records the experience on an operation", () => {
  expect(sourcesOf({}, [learned("unit mix-up", "Normalise units first")])).toEqual([
    {
      traceUid: "sample:q-17",
      sourceSystem: "sample",
      traceId: "q-17",
      displayName: "q-17",
      relation: "seed",
      sampleQuestion: "How long is the fence?",
      epoch: 2,
      operationType: "ADD",
      errorIdentification: "unit mix-up",
      learningText: "Normalise units first",
      origin: "sample",
    },
  ]);
});

const two = [learned("first", "a"), learned("second", "b", "c")];

test.each([
  ["its valid reflection index", { reflection_index: 1 }, ["second"]],
  ["camelCase too", { reflectionIndex: 0 }, ["first"]],
  [
    "several indices, the first as seed",
    { reflection_indices: [1, 0, 7, "x"] },
    ["second", "first"],
  ],
  ["the only reflection that covers the learning", { learning_index: 1 }, ["second"]],
  ["none when two cover the learning", { learning_index: 0 }, [undefined]],
  ["none for an index out of range", { reflection_index: 2 }, [undefined]],
  ["none without any hint", {}, [undefined]],
])("an operation belongs to %s", (_name, operation, errors) => {
  expect(sourcesOf(operation, two)).toMatchObject(
    errors.map((errorIdentification, index) => ({
      relation: index === 0 ? "seed" : "supporting",
      ...(errorIdentification !== undefined && { errorIdentification }),
    })),
  );
});

test("the only reflection is taken even for a wrong index, and its learning by index", () => {
  const [only] = [learned("e", "first learning", "second learning")];
  expect(
    sourcesOf({ reflection_index: 9, learning_index: 1 }, [only as ReflectorOutput]),
  ).toMatchObject([{ errorIdentification: "e", learningText: "second learning" }]);
});

test("long texts are cut, empty ones left out", () => {
  const [source] = sourcesOf({}, [learned(" ", "x".repeat(3_000))]) as Record<string, unknown>[];
  expect(source).not.toHaveProperty("errorIdentification");
  expect(String(source?.["learningText"])).toHaveLength(500);
});

test.each([
  ["has sources already", { sources: [{ trace_uid: "a:b" }] }],
  ["has the original's insight source", { insight_source: { trace_uid: "a:b" } }],
  ["only tags", { type: "TAG", skill_id: "x-00001" }],
  ["only removes", { type: "remove", skill_id: "x-00001" }],
])("an operation that %s is left alone", (_name, operation) => {
  const given = { type: "ADD", ...operation };
  const experience = {
    identity: { sourceSystem: "s", traceId: "t" },
    origin: "trace" as const,
    question: "",
    epoch: 1,
    reflections: [],
  };
  expect(attachSources([given], experience)).toEqual([given]);
});
