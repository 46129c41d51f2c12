import { describe, expect, test } from "vitest";
import { readText, trackedFiles } from "./support/repository.ts";

const tests = trackedFiles("packages/*/test/**/*.test.ts", "test/**/*.test.ts")
  .filter((path) => !path.startsWith("test/house/traceability"))
  .map((path) => ({ path, text: readText(path) }));
const decisions = trackedFiles("docs/decisions/*.md").map(readText).join("\n");

/** True when a test, or a group of tests, has the text in its name. */
function isNamed(pattern: RegExp): boolean {
  const names =
    /\b(?:test|it|describe)(?:\.each\([\s\S]*?\))?\(\s*(["'`])((?:\\.|(?!\1)[\s\S])*)\1/g;
  return tests.some(({ text }) =>
    [...text.matchAll(names)].some((match) => pattern.test(match[2] ?? "")),
  );
}

describe("what was promised is tested by its number", () => {
  const requirements = [
    ...Array.from({ length: 10 }, (_, index) => `FR-${String(index + 1).padStart(3, "0")}`),
    ...Array.from({ length: 4 }, (_, index) => `NFR-${String(index + 1).padStart(3, "0")}`),
  ];

  test.each(requirements)("requirement %s of the specification of ace-mcp", (id) => {
    expect(isNamed(new RegExp(`(?<![A-Z])${id}\\b`))).toBe(true);
  });

  const weakPoints = Array.from({ length: 33 }, (_, index) => index + 1);

  test.each(weakPoints)(
    "weak point %i of the Python original: a test, or a line that says why it cannot occur",
    (number) => {
      const named = isNamed(new RegExp(`weak points?\\b[^:]*\\b${number}\\b[^:]*:`, "i"));
      const explained = new RegExp(`weak points? ${number}\\b|^\\|\\s*${number}\\s*\\|`, "im");
      expect(named || explained.test(decisions)).toBe(true);
    },
  );
});
