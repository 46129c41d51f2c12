import { count } from "../terminal/count.ts";
import { shortened } from "../terminal/printable.ts";
import type { Colours, Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import { gainPoints, type Score } from "./accuracy.ts";
import type { Dataset } from "./dataset.ts";
import type { LearnedSkill } from "./learned-skill.ts";
import { isLeftOut } from "./plans/plans-result.ts";
import type { LearningResult, RestartResult, ServerFacts, TourResult } from "./tour-result.ts";

const INDENT = "  ";
const BAR_WIDTH = 24;
const LABEL_WIDTH = 29;
const SKILL_CHARS = 280;

/** The lines of the report, one function a section; each fits the given width. */
export interface ReportStyle {
  readonly width: number;
  readonly colours: Colours;
}

/** Title of an act. */
export function actLines({ colours }: ReportStyle, title: string): string[] {
  return [colours.bold(title), ""];
}

/** Section title with its number. */
export function titleLines({ colours }: Terminal, title: string): string[] {
  return ["", colours.bold(title)];
}

/** @param overlap largest word overlap of an exam ticket with a taught one, 0 … 1 */
export function jobLines({ width }: ReportStyle, dataset: Dataset, overlap: number): string[] {
  const { learn, heldOut, queues } = dataset;
  return paragraph(
    width,
    `${learn.length + heldOut.length} tickets written to the maker of a booking and till system for climbing halls, ` +
      `${queues.length} queues. ${learn.length} are taught, ${heldOut.length} are kept for the exam; no exam ticket shares ` +
      `more than ${percent(overlap)} of its words with a taught one.`,
    "The model is builtin/recall: it needs no key and no network, and knows nothing but its skillbook.",
  );
}

export function serverLines({ width }: ReportStyle, server: ServerFacts): string[] {
  const { name, pid, protocol, tools } = server;
  return paragraph(
    width,
    `${name} runs as process ${pid} and offers ${tools} tools (MCP ${protocol}, stdio).`,
  );
}

export function examLines({ width }: ReportStyle, score: Score): string[] {
  return paragraph(
    width,
    `${score.correct} of ${score.total} right (${percent(score.accuracy)}): the skillbook is empty.`,
  );
}

export function lessonLines(
  { width }: ReportStyle,
  { samples, failed, whileWorking }: LearningResult["lessons"],
): string[] {
  return paragraph(
    width,
    `ace.learn.sample: ${samples} tickets with their queue, ${failed} failed.`,
    `ace.learn.feedback: ${whileWorking.total} tickets answered first and then judged by a person; ` +
      `${whileWorking.correct} answers were right (${percent(whileWorking.accuracy)}).`,
  );
}

export function scoreLines(style: ReportStyle, learning: LearningResult): string[] {
  const { colours } = style;
  const { before, after, majority, shuffled } = learning;
  return [
    scoreLine("before learning", before, colours.dim),
    scoreLine("after learning", after, colours.green),
    scoreLine("control: the majority class", majority, colours.dim),
    scoreLine("control: shuffled labels", shuffled, colours.dim),
    ...paragraph(
      style.width,
      `Gain over the majority class: ${points(gainPoints(after, majority))}. ` +
        `Median ace.ask round trip: ${learning.askMs.toFixed(1)} ms.`,
    ),
  ];
}

export function skillLines(style: ReportStyle, skills: readonly LearnedSkill[]): string[] {
  return skills.flatMap((skill) => {
    const { helpful, harmful, neutral } = skill;
    const head = `${style.colours.cyan(shortened(skill.id, 40))}  helpful ${helpful}, harmful ${harmful}, neutral ${neutral}`;
    const lines = [
      `${INDENT}${head}`,
      ...skill.content
        .split("\n")
        .flatMap((line) => wrap(shortened(line, SKILL_CHARS), style.width, INDENT + INDENT)),
    ];
    if (skill.evidence) {
      const evidence = `evidence: ${shortened(skill.evidence, SKILL_CHARS)}`;
      lines.push(
        ...wrap(evidence, style.width, INDENT + INDENT).map((line) => style.colours.dim(line)),
      );
    }
    return lines;
  });
}

export function restartLines(
  { width }: ReportStyle,
  learning: LearningResult,
  restart: RestartResult,
): string[] {
  const { server, loadedSkills, keptSkills, identicalAnswers, score } = restart;
  return paragraph(
    width,
    `Saved ${learning.savedSkills} skills, ended process ${learning.server.pid}, started process ${server.pid} ` +
      `(MCP ${server.protocol}) and loaded ${loadedSkills}.`,
    `${keptSkills} of ${learning.savedSkills} skills are unchanged, ${identicalAnswers} of ${score.total} answers are identical.`,
  );
}

/** @param failures sentences of {@link TourResult}'s failed checks */
export function verdictLines(
  { width, colours }: ReportStyle,
  result: TourResult,
  failures: readonly string[],
): string[] {
  const { learning, practice, seconds } = result;
  if (failures.length > 0) {
    return failures.flatMap((text) => wrap(`Failed: ${text}.`, width)).map(colours.red);
  }
  const gain = points(gainPoints(learning.after, learning.majority));
  const skills = count(practice.lesson.accepted.length, "skill");
  const plans = isLeftOut(result.plans)
    ? "plans over HTTP left out"
    : "a plan applied over HTTP, and a conflict that changed nothing";
  return wrap(
    `Passed in ${seconds.toFixed(1)} s: ${gain} learned, nothing lost; a failing test mended, ${skills} learned from it and used; ${count(result.servers.calls.server, "call")} of an MCP server; a session driven from an editor and loaded again; ${plans}.`,
    width,
  ).map(colours.green);
}

export function nextLines({ width }: ReportStyle): string[] {
  return wrap(
    "Next: `acumen setup` chooses a model for the coding agent (README.md), docs/integrations/mcp-client-setup.md brings the skillbook to an agent of your own.",
    width,
  );
}

function scoreLine(label: string, score: Score, paint: (text: string) => string): string {
  const { correct, total, accuracy } = score;
  const filled = Math.round(accuracy * BAR_WIDTH);
  const bar = "#".repeat(filled).padEnd(BAR_WIDTH, ".");
  const counts = `${correct}/${total}`.padStart(7);
  return `${INDENT}${label.padEnd(LABEL_WIDTH)}${counts} ${percent(accuracy).padStart(7)}  ${paint(bar)}`;
}

function paragraph(width: number, ...texts: readonly string[]): string[] {
  return texts.flatMap((text) => wrap(text, width, INDENT));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function points(value: number): string {
  return `${value > 0 ? "+" : ""}${value} points`;
}
