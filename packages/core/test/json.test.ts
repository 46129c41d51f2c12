import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, parseJson } from "../src/index.ts";

describe("parseJson", () => {
  it("agrees with JSON.parse on every JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("drops a byte order mark", () => {
    expect(parseJson("\uFEFF[1]")).toEqual([1]);
  });

  it("names the limit on size and depth", () => {
    expect(() => parseJson("[1,2]", { maxChars: 4 })).toThrow(/5 characters; at most 4/);
    expect(() => parseJson("[[[]]]", { maxDepth: 2 })).toThrow(/deeper than 2/);
    expect(parseJson('["[[[[\\"[[["]', { maxDepth: 1 })).toEqual(['[[[["[[[']);
  });

  it("sees where a string ends, whatever backslashes stand before the quote", () => {
    for (const text of ['["\\\\",[[1]]]', '["\\\\\\"",[[1]]]', '["",[[1]]]']) {
      expect(() => parseJson(text, { maxDepth: 2 })).toThrow(/deeper than 2/);
      expect(parseJson(text, { maxDepth: 3 })).toEqual(JSON.parse(text));
    }
  });

  it("survives a million brackets", () => {
    expect(() => parseJson("[".repeat(1_000_000))).toThrow(/deeper than 100/);
  });

  it("never repeats the text in its message", () => {
    expect(() => parseJson('{"key": sk-canary}')).toThrow(
      expect.objectContaining({
        code: "CORE_JSON_INVALID",
        message: expect.not.stringContaining("canary") as string,
      }),
    );
  });
});

describe("isJsonObject", () => {
  it("is true for objects alone", () => {
    expect([{}, [], null, "x", 1].map(isJsonObject)).toEqual([true, false, false, false, false]);
  });
});
