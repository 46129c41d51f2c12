import { AcumenError } from "@acumen/core";
import { expect, test } from "vitest";
import { exitCodeOf } from "../../src/exit-code.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";
import { concludeTour } from "../../src/tour/conclusion.ts";
import { loadDataset } from "../../src/tour/dataset.ts";
import type { TourResult } from "../../src/tour/tour-result.ts";
import { exampleResult } from "./example-result.ts";

const dataset = await loadDataset();

function conclude(result: TourResult): { text: string; outcome: unknown } {
  let text = "";
  const terminal = createTerminal({ write: (part) => (text += part) }, { color: false });
  try {
    return { outcome: concludeTour(terminal, dataset, result), text };
  } catch (error) {
    return { outcome: error, text };
  }
}

test("a good tour ends with its gain and the summary", () => {
  const { text, outcome } = conclude(exampleResult());
  expect(text).toContain(
    "Passed in 4.2 s: +65.4 points learned, nothing lost; a failing test mended,",
  );
  expect(outcome).toMatchObject({ passed: true });
});

test("a gain under 25 points and a loss end with exit code 1, naming both", () => {
  const good = exampleResult();
  const { text, outcome } = conclude({
    ...good,
    learning: { ...good.learning, majority: { correct: 47, total: 84, accuracy: 0.56 } },
    restart: { ...good.restart, keptSkills: 189 },
  });
  expect(text.match(/^Failed: /gm)).toHaveLength(2);
  expect(outcome).toMatchObject({ code: "CLI_TOUR_FAILED", details: { passed: false } });
  if (!AcumenError.isInstance(outcome)) throw new Error("no coded error");
  expect(outcome.message).toContain("majority class is 23.7 points");
  expect(outcome.message).toContain("189 unchanged");
  expect(exitCodeOf(outcome)).toBe(1);
});
