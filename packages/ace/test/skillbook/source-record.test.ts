import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InsightSource } from "../../src/skillbook/source.ts";
import {
  boundedNotes,
  parseSource,
  parseSources,
  toSourceRecord,
  uniteSources,
} from "../../src/skillbook/source-record.ts";

describe("parseSource", () => {
  it("reads both spellings to the same source", () => {
    const camel = {
      traceUid: "run:1",
      sourceSystem: "run",
      traceId: "1",
      displayName: "first",
      relation: "supporting",
      sampleQuestion: "why?",
      epoch: 2,
      operationType: "ADD",
      errorIdentification: "mix-up",
      learningText: "look twice",
      origin: "trace",
      notes: { a: [1, true, null, "x"] },
    };
    const source = parseSource(camel);
    expect(source).toEqual(camel);
    expect(parseSource(source && toSourceRecord(source))).toEqual(camel);
  });

  it.each([
    [{}, "legacy:unknown", "legacy", "unknown"],
    [{ trace_uid: "run:a:b" }, "run:a:b", "run", "a:b"],
    [{ trace_uid: "plain" }, "plain", "legacy", "plain"],
    [{ source_system: "run", task_id: 7 }, "run:7", "run", "7"],
    [{ source_system: " ", trace_id: 5 }, "legacy:5", "legacy", "5"],
  ])("completes the identity of %j", (value, traceUid, sourceSystem, traceId) => {
    expect(parseSource(value)).toMatchObject({ traceUid, sourceSystem, traceId, relation: "seed" });
  });

  it("moves unknown keys to the notes, cleaned and bounded", () => {
    expect(parseSource({ trace_id: "1", colour: "r\u202Eed", none: null })?.notes).toEqual({
      colour: "red",
    });
    expect(parseSource({ trace_id: "1", blob: "x".repeat(5_000) })).not.toHaveProperty("notes");
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(() => boundedNotes(circle)).not.toThrow();
  });

  it("drops values of a wrong type", () => {
    const source = parseSource({ traceUid: 5, epoch: "2", origin: "moon", sampleQuestion: {} });
    expect(source).toEqual({
      traceUid: "5",
      sourceSystem: "legacy",
      traceId: "5",
      relation: "seed",
    });
  });

  it("reads whatever it wrote", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const source = parseSource(value);
        expect(parseSource(source && toSourceRecord(source))).toEqual(source);
      }),
    );
  });
});

describe("parseSources and uniteSources", () => {
  it("count what is dropped and keep equal records once", () => {
    const a = { trace_uid: "x:1" };
    expect(parseSources([a, a, 5, "x", null])).toMatchObject({
      sources: [{ traceUid: "x:1" }],
      dropped: 3,
    });
    expect(parseSources(a).sources).toHaveLength(1);
    expect(parseSources(undefined)).toEqual({ sources: [], dropped: 0 });
    const many = Array.from({ length: 40 }, (_, i) => ({ trace_uid: `x:${i}` }));
    expect(parseSources(many)).toMatchObject({ dropped: 8 });
  });

  it("return the list itself when nothing is new", () => {
    const { sources } = parseSources([{ trace_uid: "x:1" }, { trace_uid: "x:2" }]);
    expect(uniteSources(sources, parseSources({ trace_uid: "x:2" }).sources)).toBe(sources);
    expect(uniteSources(sources, parseSources({ trace_uid: "x:3" }).sources)).toHaveLength(3);
  });

  it("keep the earliest 32", () => {
    const some = (prefix: string): readonly InsightSource[] =>
      parseSources(Array.from({ length: 20 }, (_, i) => ({ trace_uid: `${prefix}:${i}` }))).sources;
    const united = uniteSources(some("a"), some("b"));
    expect(united).toHaveLength(32);
    expect(united.at(-1)?.traceUid).toBe("b:11");
  });
});
