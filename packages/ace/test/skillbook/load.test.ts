import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { SKILLBOOK_LIMITS } from "../../src/skillbook/skill.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";

async function fixture(name: string): Promise<unknown> {
  const url = new URL(`../fixtures/skillbooks/${name}.json`, import.meta.url);
  return JSON.parse(await readFile(url, "utf8")) as unknown;
}

describe("files of the Python original", () => {
  it("0.9: everything is kept, counters start at 0", async () => {
    const { skillbook, report } = Skillbook.fromRecord(await fixture("ace-0.9"));
    expect(report).toEqual({ loaded: 3, skipped: [], repaired: [], migratedFrom: "ace-0.9" });
    expect(skillbook.get("größen-00001")).toEqual({
      id: "größen-00001",
      section: "Größen und Einheiten",
      content: "Rechne vor dem Addieren alle Längen in Meter um.",
      justification: "Gemischte Einheiten ergaben eine falsche Summe.",
      evidence: "12 ft und 3 m wurden zu 15 addiert.",
      helpful: 0,
      harmful: 0,
      neutral: 0,
      createdAt: "2026-05-02T09:15:00.000000+00:00",
      updatedAt: "2026-05-02T09:15:00.000000+00:00",
      status: "active",
      sources: [
        {
          traceUid: "sample:q-17",
          sourceSystem: "sample",
          traceId: "q-17",
          displayName: "q-17",
          relation: "seed",
          sampleQuestion: "Wie lang ist der Zaun?",
          epoch: 1,
          operationType: "ADD",
          errorIdentification: "Einheiten verwechselt",
          learningText: "Einheiten zuerst angleichen",
        },
      ],
    });
    expect(skillbook.get("units-00002")?.sources).toEqual([
      {
        traceUid: "legacy:42",
        sourceSystem: "legacy",
        traceId: "42",
        relation: "seed",
        notes: { sample_id: 42 },
      },
    ]);
    expect(skillbook.size).toBe(2);
    expect(skillbook.get("units-00003")?.status).toBe("invalid");
    expect(skillbook.isKept("units-00002", "größen-00001")).toBe(true);
    const { applied } = skillbook.apply([{ type: "ADD", section: "units", content: "next" }]);
    expect(applied[0]?.skillId).toBe("units-00006");
  });

  it("0.8: counters and embeddings are kept, and the file is marked as origin", async () => {
    const { skillbook, report } = Skillbook.fromRecord(await fixture("ace-0.8"));
    expect(report).toEqual({ loaded: 2, skipped: [], repaired: [], migratedFrom: "ace-0.8" });
    expect(skillbook.get("api-00001")).toMatchObject({ helpful: 7, harmful: 0, neutral: 1 });
    expect(skillbook.get("api-00001")).not.toHaveProperty("embedding");
    expect(skillbook.get("api-00001")?.sources).toMatchObject([
      { traceUid: "file:ace-0.8", origin: "file" },
    ]);
    expect(skillbook.get("api-00002")?.embedding).toEqual([0.25, -0.5, 0.125]);
    expect(skillbook.stats()).toMatchObject({
      leftOut: 1,
      tags: { helpful: 8, harmful: 5, neutral: 1 },
    });
  });

  it("before 0.7: bullets become skills", async () => {
    const { skillbook, report } = Skillbook.fromRecord(await fixture("ace-0.6-bullets"));
    expect(report).toEqual({ loaded: 2, skipped: [], repaired: [], migratedFrom: "ace-bullets" });
    expect(skillbook.get("parsing-00001")).toMatchObject({ helpful: 4, harmful: 1, neutral: 2 });
  });

  it("schema version 2: issue and insight become content, the rest goes to the notes", async () => {
    const { skillbook, report } = Skillbook.fromRecord(await fixture("ace-v2"));
    expect(report).toEqual({ loaded: 2, skipped: [], repaired: [], migratedFrom: "ace-v2" });
    expect(skillbook.get("context-00001")).toMatchObject({
      section: "context",
      content: "Reports mix local time and UTC.\nConvert every time stamp to UTC before comparing.",
      helpful: 3,
      harmful: 1,
      neutral: 2,
      status: "active",
      sources: [
        { origin: "file", notes: { keywords: ["time_zone", "reports"], used_count: 6 } },
        { traceUid: "run:9", displayName: "nightly" },
      ],
    });
    expect(skillbook.get("harness-00002")).toMatchObject({
      content: "The search tool cuts results at 20.",
      status: "invalid",
    });
  });

  it.each(["ace-0.9", "ace-0.8", "ace-0.6-bullets", "ace-v2", "damaged"])(
    "%s saved by us loads again without a repair",
    async (name) => {
      const { skillbook } = Skillbook.fromRecord(await fixture(name));
      const record: unknown = JSON.parse(JSON.stringify(skillbook.toRecord()));
      const again = Skillbook.fromRecord(record);
      expect(again.report).toMatchObject({ skipped: [], repaired: [], migratedFrom: null });
      expect(again.skillbook.toRecord()).toEqual(record);
    },
  );
});

describe("a damaged file", () => {
  it("loads all that is usable and names everything else", async () => {
    const { skillbook, report } = Skillbook.fromRecord(await fixture("damaged"));
    expect(report.loaded).toBe(7);
    expect(report.skipped.map(({ id, reason }) => [id, reason])).toEqual([
      ["good-00005", "no_content"],
      ["good-00006", "no_content"],
      ["good-00007", "not_an_object"],
      ["good-00001", "duplicate"],
    ]);
    const repairs = report.repaired.map(({ id, field }) => [id, field]);
    expect(repairs).toHaveLength(18);
    expect(new Set(repairs.map((entry) => entry.join(" ")))).toEqual(
      new Set([
        " next_id",
        "good-00002 id",
        "good-00003 id",
        "good-00004 section",
        "good-00008 justification",
        "good-00008 evidence",
        "good-00008 helpful",
        "good-00008 harmful",
        "good-00008 neutral",
        "good-00008 created_at",
        "good-00008 updated_at",
        "good-00008 status",
        "good-00008 sources",
        "good-00009 id",
        "other-00010 id",
        " similarity_decisions",
        " sections",
      ]),
    );
    expect(skillbook.get("good-00002")?.content).toBe("Its key differs from its id.");
    expect(skillbook.get("good-00003")?.content).toBe("It has no id inside.");
    expect(skillbook.get("good-00004")?.section).toBe("general");
    expect(skillbook.get("good-00008")).toMatchObject({
      justification: null,
      evidence: null,
      helpful: 0,
      harmful: 2,
      neutral: 0,
      status: "invalid",
    });
    expect(skillbook.get("good-00009")?.content).toBe("Another skill under a taken id.");
    expect(skillbook.get("other-00010")?.content).toBe("Its id cannot be cited.");
    expect(skillbook.isKept("good-00001", "good-00002")).toBe(true);
  });

  it("gives no number twice when next_id is missing, low or no number", () => {
    for (const next_id of [undefined, 0, -5, "x", null, 1e300, 2.5, {}]) {
      const { skillbook } = Skillbook.fromRecord({
        skills: { "x-00007": { id: "x-00007", section: "x", content: "seven" } },
        next_id,
      });
      const { applied } = skillbook.apply([{ type: "ADD", section: "x", content: "more" }]);
      expect(applied[0]?.skillId).toBe("x-00008");
    }
  });

  it("gives new ids only numbers above all of the file, also of records that come later", () => {
    const { skillbook } = Skillbook.fromRecord({
      skills: {
        "no id": { section: "x", content: "first" },
        "x-00001": { id: "x-00001", section: "x", content: "second" },
        "x-00002": { id: "x-00002", section: "x", content: "third" },
      },
    });
    expect(skillbook.skills().map(({ id, content }) => [id, content])).toEqual([
      ["x-00003", "first"],
      ["x-00001", "second"],
      ["x-00002", "third"],
    ]);
  });

  it("skips content over the limit and drops such notes, each with a reason", () => {
    const { skillbook, report } = Skillbook.fromRecord({
      skills: {
        a: { id: "a-1", section: "a", content: "x".repeat(2_001) },
        b: { id: "b-2", section: "b", content: "kept", evidence: "x".repeat(2_001) },
      },
    });
    expect(report.skipped).toMatchObject([{ id: "a-1", reason: "too_long" }]);
    expect(report.repaired).toContainEqual({
      id: "b-2",
      field: "evidence",
      message: expect.stringContaining("too long") as string,
    });
    expect(skillbook.get("b-2")?.evidence).toBeNull();
  });

  it("strips invisible characters and says so", () => {
    const { skillbook, report } = Skillbook.fromRecord({
      skills: { "a-1": { id: "a-1", section: "a", content: "pay\u202Eload\u{E0041}" } },
      next_id: 1,
      sections: { a: ["a-1"] },
    });
    expect(skillbook.get("a-1")?.content).toBe("payload");
    expect(report.repaired).toMatchObject([{ id: "a-1", field: "content" }]);
  });

  it("keeps keys that have a meaning in JavaScript as plain names", () => {
    const skill = { content: "x", section: "__proto__" };
    const text = `{"skills": {"__proto__": ${JSON.stringify(skill)}, "constructor": ${JSON.stringify({ ...skill, content: "y" })}}}`;
    const { skillbook } = Skillbook.fromRecord(JSON.parse(text));
    expect(skillbook.skills().map(({ content }) => content)).toEqual(["x", "y"]);
    const record = skillbook.toRecord();
    expect(Object.keys(record.sections)).toEqual(["__proto__"]);
    expect(JSON.stringify(record)).toContain(`"__proto__"`);
    expect(Object.hasOwn(skillbook.stats().bySection, "__proto__")).toBe(true);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it("takes a list of records as well", () => {
    const { skillbook } = Skillbook.fromRecord({
      skills: [{ id: "a-1", section: "a", content: "x" }, 5],
    });
    expect(skillbook.size).toBe(1);
  });
});

describe("what is no skillbook", () => {
  it.each([
    null,
    5,
    "text",
    [],
    {},
    { skills: 5 },
    { skills: "x" },
    { name: "cv", skills: ["cooking", "go"] },
    { name: "game", skills: { fire: { level: 3 } } },
    { format: "other", skills: {} },
  ])("%j is refused", (value) => {
    expect(() => Skillbook.fromRecord(value)).toThrow(
      expect.objectContaining({
        code: "ACE_SKILLBOOK_INVALID",
        details: expect.objectContaining({ reason: "not_a_skillbook" }) as unknown,
      }) as Error,
    );
  });

  it.each([
    { format: "acumen.skillbook", version: 2, skills: {} },
    { schema_version: "3", skills: {} },
    { schema_version: 7, skills: {} },
  ])("%j is newer and refused as such", (value) => {
    expect(() => Skillbook.fromRecord(value)).toThrow(
      expect.objectContaining({
        code: "ACE_SKILLBOOK_NEWER",
        details: expect.objectContaining({ reason: "newer_version" }) as unknown,
      }) as Error,
    );
  });

  it("more skills than a book may hold are refused, not cut", () => {
    const skills = Array.from({ length: SKILLBOOK_LIMITS.skills + 1 }, (_, i) => ({
      id: `a-${i + 1}`,
      section: "a",
      content: `rule ${i}`,
    }));
    expect(() => Skillbook.fromRecord({ skills })).toThrow(
      expect.objectContaining({ code: "ACE_SKILLBOOK_TOO_LARGE" }) as Error,
    );
  });
});
