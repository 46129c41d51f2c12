import { describe, expect, it } from "vitest";
import { createId, systemClock } from "../src/index.ts";

describe("createId", () => {
  it("makes strictly increasing 26-character ids", () => {
    const ids = Array.from({ length: 1_000 }, createId);
    expect(ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("systemClock", () => {
  it("never runs backwards", () => {
    const before = systemClock.monotonicMs();
    expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(before);
  });
});
