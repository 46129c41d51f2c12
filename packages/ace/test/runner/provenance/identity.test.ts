import { expect, test } from "vitest";
import { identify, identifySample } from "../../../src/runner/provenance/identity.ts";

const find = (...records: unknown[]) =>
  identify({ records, content: "content", defaultSystem: "trace" });

test.each([
  ["an explicit identity", { "ace.trace_identity": "ci:run-1", id: "x" }, "ci", "run-1"],
  ["one without a system", { trace_identity: "run-1" }, "trace", "run-1"],
  ["one as an object", { trace_identity: { source_system: "ci", trace_id: "7" } }, "ci", "7"],
  ["a uid in an object", { traceIdentity: { traceUid: "ci:a:b" } }, "ci", "a:b"],
  [
    "trace_id before the others",
    { id: "4", task_id: "3", sample_id: "2", trace_id: "1" },
    "trace",
    "1",
  ],
  ["a number", { item_id: 5 }, "trace", "5"],
  ["its own system", { id: "x", source_system: "tau" }, "tau", "x"],
])("finds %s", (_name, record, sourceSystem, traceId) => {
  expect(find(record)).toEqual({ sourceSystem, traceId });
});

test("earlier records win, empty ones are passed over", () => {
  expect(find(undefined, "text", { id: " " }, { id: "b" }, { id: "c" }).traceId).toBe("b");
  expect(find({ trace_identity: { display_name: "only a name" }, id: "x" }).traceId).toBe("x");
});

test("keeps the display name", () => {
  const identity = find({ trace_identity: { trace_id: "1", display_name: "Nightly" } });
  expect(identity).toEqual({ sourceSystem: "trace", traceId: "1", displayName: "Nightly" });
});

test("ids of strangers become one bounded line", () => {
  expect(find({ id: `a\nb\u202E${"c".repeat(500)}` }).traceId).toMatch(/^a bc{190,}…$/);
});

test("a sample's own id follows its metadata", () => {
  const sample = { question: "q", id: "s-1" };
  expect(identifySample(sample)).toMatchObject({ sourceSystem: "sample", traceId: "s-1" });
  expect(identifySample({ ...sample, metadata: { trace_id: "m-1" } }).traceId).toBe("m-1");
});

test("without any name the content is hashed, whatever the order of its keys", () => {
  const hash = (content: unknown) =>
    identify({ records: [], content, defaultSystem: "trace" }).traceId;
  expect(hash({ a: 1, b: [{ c: 2, d: 3 }] })).toBe(hash({ b: [{ d: 3, c: 2 }], a: 1 }));
  expect(hash({ a: 1 })).not.toBe(hash({ a: 2 }));
  expect(hash(["a", "b"])).not.toBe(hash(["b", "a"]));
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  expect(hash([cyclic, 1n, undefined])).toMatch(/^[0-9a-f]{64}$/);
});
