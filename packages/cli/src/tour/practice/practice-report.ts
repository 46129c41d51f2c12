import { shortened } from "../../terminal/printable.ts";
import { wrap } from "../../terminal/wrap.ts";
import { count } from "../../terminal/count.ts";
import type { ReportStyle } from "../report.ts";
import type { TestRun } from "./practice-repository.ts";
import type { LessonFacts, SessionFacts } from "./practice-result.ts";

const INDENT = "  ";
const SKILL_CHARS = 400;

/** What is true in this act and what is played. */
export function practiceIntroLines({ width }: ReportStyle): string[] {
  return paragraphs(
    width,
    "The coding agent works in a temporary git repository: a price list with two tests. The agent, its tools, approvals and " +
      "files are the real ones. Its model is played from a script, because the tour needs no key; the script goes on only " +
      "when it sees the results it expects. What the turn teaches is not scripted: builtin/recall learns it.",
  );
}

export function testLines({ width, colours }: ReportStyle, label: string, run: TestRun): string[] {
  const { passed, failed, exitCode } = run;
  const text = `${label}: ${passed} pass, ${failed} fail (exit code ${exitCode}), run by the tour itself.`;
  return paragraphs(width, text).map(exitCode === 0 ? colours.green : colours.yellow);
}

export function sessionLines({ width }: ReportStyle, facts: SessionFacts): string[] {
  const { events, approved, remembered } = facts;
  return paragraphs(
    width,
    `${events} events are stored; token counts and the title are among them and not shown. ` +
      `Asked for: ${count(approved, "call")}; run by a remembered answer: ${remembered}.`,
  );
}

export function changeLines({ width }: ReportStyle, files: readonly string[]): string[] {
  return paragraphs(width, `git status: ${files.join(", ") || "nothing"} changed.`);
}

export function proposalLines(
  { width, colours }: ReportStyle,
  proposals: readonly Readonly<Record<string, unknown>>[],
  absentBefore: boolean,
): string[] {
  return [
    ...paragraphs(width, `acumen feedback … good: ${count(proposals.length, "skill")} proposed.`),
    ...proposals.flatMap(({ id, content }) => [
      `${INDENT}${colours.cyan(shortened(String(id), 40))}`,
      ...String(content)
        .split("\n")
        .flatMap((line) => wrap(shortened(line, SKILL_CHARS), width, INDENT + INDENT)),
    ]),
    ...paragraphs(
      width,
      absentBefore
        ? "Control: a session that asks before the review is stopped by its script, because no skill stands in its prompt."
        : "Control: a session that asks before the review was not stopped for want of the skill.",
    ),
  ];
}

export function reviewLines(
  { width }: ReportStyle,
  proposals: readonly string[],
  skills: readonly string[],
): string[] {
  const line = `acumen skillbook review --accept ${proposals.join(" ")}: accepted as ${skills.join(", ") || "nothing"}.`;
  return paragraphs(width, line);
}

export function nextLines(
  { width, colours }: ReportStyle,
  { applied, cited, exitCode }: LessonFacts["next"],
): string[] {
  if (exitCode !== 0) {
    return paragraphs(width, `It ended with exit code ${exitCode}.`).map(colours.red);
  }
  return paragraphs(
    width,
    `The system prompt held ${applied.join(", ") || "no skill"}, else the script would have stopped; the answer cites ` +
      `${cited.join(", ") || "none"}.`,
  );
}

function paragraphs(width: number, ...texts: readonly string[]): string[] {
  return texts.flatMap((text) => wrap(text, width, INDENT));
}
