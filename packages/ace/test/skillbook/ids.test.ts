import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatId, idNumber, idPrefix, isUsableId } from "../../src/skillbook/ids.ts";

describe("idPrefix", () => {
  it.each([
    ["Units of length", "units"],
    ["  API  calls", "api"],
    ["error-handling tips", "errorhandling"],
    ["Größen und Einheiten", "größen"],
    ["日本語 の", "日本語"],
    ["snake_case 2", "snake_case"],
    ["c++ and c#", "c"],
    ["", "general"],
    ["   ", "general"],
    ["🚀 launch", "general"],
    ["--- dashes", "general"],
    ["2024 plans", "2024"],
  ])("of %j is %j", (section, prefix) => {
    expect(idPrefix(section)).toBe(prefix);
  });

  it("holds only Unicode letters, digits and underscore, in lower case, for any section", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (section) => {
        const prefix = idPrefix(section);
        expect(prefix).toMatch(/^[\p{L}\p{Nd}_]{1,32}$/u);
        expect(isUsableId(formatId(section, 1))).toBe(true);
      }),
    );
  });
});

describe("formatId and idNumber", () => {
  it("pads to five digits and grows beyond", () => {
    expect(formatId("math", 1)).toBe("math-00001");
    expect(formatId("math", 123_456)).toBe("math-123456");
  });

  it.each([
    ["math-00017", 17],
    ["a-b-3", 3],
    ["math", 0],
    ["math-", 0],
    ["17", 0],
    ["math-3x", 0],
    ["", 0],
  ])("idNumber of %j is %d", (id, number) => {
    expect(idNumber(id)).toBe(number);
  });
});

describe("isUsableId", () => {
  it.each(["math-00001", "größen-00001", "custom", "a.b:c/d-1", "x-7", "c#-00001", "q&a-00002"])(
    "takes %j",
    (id) => {
      expect(isUsableId(id)).toBe(true);
    },
  );

  it.each([
    "",
    "a b",
    "a,b",
    "[x-1]",
    `x"y`,
    "17",
    "__proto__",
    "-1",
    "x\u202Ey",
    "x\n1",
    "x".repeat(129),
    `x-${"9".repeat(20)}`,
  ])("refuses %j", (id) => {
    expect(isUsableId(id)).toBe(false);
  });
});
