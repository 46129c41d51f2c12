import { describe, expect, it } from "vitest";
import { AcumenError, CORE_ERRORS, coreError } from "../src/index.ts";

describe("AcumenError", () => {
  it("carries code, message, details, cause and retryable", () => {
    const cause = new Error("inner");
    const error = coreError("CORE_LOCK_TIMEOUT", "busy", {
      details: { path: "/x" },
      cause,
      retryable: true,
    });
    expect(error).toMatchObject({
      code: "CORE_LOCK_TIMEOUT",
      message: "busy",
      details: { path: "/x" },
      cause,
      retryable: true,
    });
    expect(error).toBeInstanceOf(Error);
  });

  it("is recognised by its brand even when the class is another copy", () => {
    const foreign = Object.assign(new Error("x"), { [Symbol.for("acumen.error")]: true });
    expect(AcumenError.isInstance(foreign)).toBe(true);
    expect(AcumenError.isInstance(new Error("x"))).toBe(false);
    expect(AcumenError.isInstance(null)).toBe(false);
  });

  it("serialises code, message and details, never cause or stack", () => {
    const error = coreError("CORE_JSON_INVALID", "bad", { cause: new Error("secret") });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: "CORE_JSON_INVALID",
      message: "bad",
      details: {},
    });
  });

  it("has a meaning and a remedy for every code", () => {
    for (const [code, row] of Object.entries(CORE_ERRORS)) {
      expect(code).toMatch(/^CORE_[A-Z_]+$/);
      expect(row.meaning.length * row.remedy.length).toBeGreaterThan(0);
    }
  });
});
