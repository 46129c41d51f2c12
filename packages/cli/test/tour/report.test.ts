import { describe, expect, test } from "vitest";
import { createTerminal } from "../../src/terminal/terminal.ts";
import { loadDataset } from "../../src/tour/dataset.ts";
import * as report from "../../src/tour/report.ts";
import { summaryOf } from "../../src/tour/summary.ts";
import { exampleResult } from "./example-result.ts";

const dataset = await loadDataset();
const result = exampleResult();
const piped = createTerminal({ write: () => true }, { color: true });
const colourful = createTerminal({ write: () => true, isTTY: true, columns: 200 }, { color: true });
const ESCAPE = "\u001B";

function wholeReport(terminal: typeof piped): string[] {
  const { learning, restart, overlap } = result;
  return [
    ...report.actLines(terminal, "Act one"),
    ...report.jobLines(terminal, dataset, overlap),
    ...report.titleLines(terminal, "1. Title"),
    ...report.serverLines(terminal, learning.server),
    ...report.examLines(terminal, learning.before),
    ...report.lessonLines(terminal, learning.lessons),
    ...report.scoreLines(terminal, learning),
    ...report.skillLines(terminal, [
      {
        id: "entry-gates-00012",
        content: "word ".repeat(200),
        evidence: `seen\n${ESCAPE}[2Jtwice`,
        helpful: 3,
        harmful: 0,
        neutral: 1,
      },
    ]),
    ...report.restartLines(terminal, learning, restart),
    ...report.verdictLines(terminal, result, []),
    ...report.nextLines(terminal),
    ...report.verdictLines(terminal, result, ["too little was learned, ".repeat(8)]),
  ];
}

describe("the report", () => {
  test("fits 80 columns and has no control characters when piped", () => {
    for (const line of wholeReport(piped)) {
      expect(line.length, line).toBeLessThanOrEqual(80);
      expect(line).toMatch(/^[^\p{Cc}]*$/u);
    }
  });

  test("says what was measured", () => {
    const text = wholeReport(piped).join("\n").replace(/\s+/g, " ");
    expect(text).toContain("0 of 84 right (0.0 %)");
    expect(text).toContain("after learning 67/84 79.7 % ###################.....");
    expect(text).toContain("control: shuffled labels 13/84 15.5 %");
    expect(text).toContain("+65.4 points");
    expect(text).toContain("ended process 4711, started process 4712");
    expect(text).toContain("helpful 3, harmful 0, neutral 1");
    expect(text).toContain("evidence: seen [2Jtwice");
  });

  test("has colours on a TTY only", () => {
    expect(wholeReport(colourful).join("\n")).toContain(ESCAPE);
    expect(wholeReport(piped).join("\n")).not.toContain(ESCAPE);
  });
});

test("the summary for machines holds every figure of the report", () => {
  expect(summaryOf(dataset, result, ["something"])).toMatchObject({
    type: "result",
    command: "tour",
    passed: false,
    failures: ["something"],
    seconds: 4.2,
    tickets: { max_word_overlap: 0.563, queues: 7 },
    accuracy: { before: 0, after: 0.797, majority_class: 0.143, after_restart: 0.797 },
    gain_points: { over_majority_class: 65.4, over_shuffled_labels: 64.2 },
    skills: { saved: 190, loaded: 190, unchanged: 190 },
    answers: { compared: 2, identical: 2 },
    coding_agent: {
      tests: { before: { exit_code: 1, passed: 1, failed: 1 }, after: { exit_code: 0, passed: 2 } },
      changed_files: ["prices.mjs"],
      session: { stop_reason: "end_turn", events: 31, approved: 2, remembered: 1 },
      skills: { proposed: 1, accepted: ["cases-00001"], absent_before_review: true },
      next_session: { exit_code: 0, applied: ["cases-00001"], cited: ["cases-00001"] },
    },
  });
  expect(summaryOf(dataset, result, [])).toMatchObject({ passed: true, failures: [] });
});
