import { expect, test } from "vitest";
import { closest } from "../src/closest.ts";

test("finds what a misspelt word meant, and nothing for a word like no other", () => {
  const names = ["model", "endpoints", "OPENAI_API_KEY"];
  expect(closest("modle", names)).toBe("model");
  expect(closest("endpoint", names)).toBe("endpoints");
  expect(closest("openai_api_key", names)).toBe("OPENAI_API_KEY");
  expect(closest("colour", names)).toBeUndefined();
  expect(closest("", names)).toBeUndefined();
});
