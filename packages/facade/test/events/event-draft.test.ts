import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import { ValidationError } from "../../src/errors/domain-error.ts";
import { boundedData, MAX_DATA_BYTES } from "../../src/events/bounded-data.ts";
import { checkedDraft, eventDraft } from "../../src/events/event-draft.ts";

describe("drafts of events", () => {
  it("are made by type", () => {
    const data = { index: 0, content: "First this.", attempt: 1 };
    const draft = eventDraft("decision.created", data, { plan_id: "p" });
    expect(draft).toEqual({
      event_type: "decision.created",
      plan_id: "p",
      session_id: null,
      data,
    });
    expect(checkedDraft(draft)).toEqual(draft);
  });

  it.each([
    ["an unknown type", "plan.imagined", {}, ["event_type"]],
    ["a frame that is no record", "subscription.lagged", {}, ["event_type"]],
    ["data of another type", "decision.created", { index: "0" }, ["data", "index"]],
  ])("refuse %s", (_what, event_type, data, path) => {
    try {
      checkedDraft({ event_type, data });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ValidationError);
      const { issues } = (error as ValidationError).details as { issues: { path: string[] }[] };
      expect(issues[0]?.path).toEqual(path);
    }
  });

  it("keep what stands beside what the type promises", () => {
    const data = { call_id: "c", tool: "bash", duration_ms: 3 };
    expect(checkedDraft({ event_type: "tool.completed", data }).data).toEqual(data);
  });
});

describe("data of events", () => {
  it("are left alone up to 64 KiB", () => {
    const data = { text: "a".repeat(MAX_DATA_BYTES - '{"text":""}'.length) };
    expect(boundedData(data)).toBe(data);
    expect(boundedData({ text: `${data.text}b` })).not.toHaveProperty("text", `${data.text}b`);
  });

  it("have long texts cut, and say so", () => {
    const cut = boundedData({ name: "short", text: "ä".repeat(100_000) });
    expect(cut).toMatchObject({ name: "short", truncated: true });
    expect(cut["text"]).toMatch(/^ä+… \[\d+ more characters\]$/);
  });

  it("never end in half a character", () => {
    const { text } = boundedData({ text: `a${"\u{1f600}".repeat(50_000)}` });
    expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it("fit, whatever came in", () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key${i}`, i]));
    const list = Array.from({ length: 50_000 }, (_, i) => ({ i }));
    let deep: JsonObject = { end: "a".repeat(70_000) };
    for (let level = 0; level < 500; level += 1) deep = { deep };
    for (const data of [many, { list }, deep, { ["k".repeat(70_000)]: 1 }]) {
      const cut = boundedData(data);
      expect(cut["truncated"]).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(MAX_DATA_BYTES);
    }
  });

  it("fit for any JSON", () => {
    const large = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(large, fc.integer({ min: 1, max: 20_000 }), (parts, times) => {
        const data = { parts: parts as JsonObject[], text: "\u0001".repeat(times) };
        const cut = boundedData(data);
        expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(MAX_DATA_BYTES);
      }),
      { numRuns: 60 },
    );
  });
});
