import type { FeedbackResult, Rating, UncountedSkill } from "@acumen/agent";
import { EMBEDDED_MODEL } from "../settings/model-name.ts";
import { count } from "../terminal/count.ts";
import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import type { RatedSession } from "./rate.ts";

/** What a rating led to. */
export function feedbackLines({ width }: Pick<Terminal, "width">, rated: RatedSession): string[] {
  const { sessionId, rating, result } = rated;
  const { counted, uncounted, kept, proposed, learned, dropped } = result;
  return [
    `Rated ${rating}: the last turn of ${sessionId}.`,
    ...counted.map(({ skillId, tag }) => `${printable(skillId)} counted ${tag}.`),
    ...uncounted.map(uncountedLine),
    ...kept.map(
      ({ skillId, tag }) => `${printable(skillId)} keeps the count ${tag} of the rating before.`,
    ),
    ...proposed.flatMap(({ id, content }) => [
      `Proposed ${id}:`,
      ...wrap(printable(content), width, "  "),
    ]),
    ...learned.map((id) => `Learned ${printable(id)}.`),
    ...dropped.map(({ content, reason }) => `Not taken (${reason}): ${printable(content)}`),
    ...closing(rated),
  ];
}

function uncountedLine({ skillId, tag, reason }: UncountedSkill): string {
  const id = printable(skillId);
  switch (reason) {
    case "counted_before":
      return `${id} is not counted ${tag} again: a rating of a turn counts once.`;
    case "gone":
      return `${id} is not counted: it is no longer in its skillbook.`;
    case "untrusted":
      return `${id} is not counted: its workspace is not trusted. Rate again with --trust-once, or after \`acumen trust\`.`;
  }
}

function closing({ rating, result }: RatedSession): string[] {
  const { learned, counted, proposed, mode, modelId, problems } = result;
  if (mode === "off") return ["Nothing is learned: the setting `learning.mode` is `off`."];
  if (proposed.length > 0) {
    return [
      `\`acumen skillbook review\` accepts or refuses ${count(proposed.length, "proposal")}.`,
    ];
  }
  if (problems.length === 0 && learned.length === 0 && isRecallOfBad(modelId, rating)) {
    return [
      `Nothing new was learned from it: ${EMBEDDED_MODEL} learns cases with their answers, and a bad rating gives no right answer.`,
      "A language model as `learning.model` learns from your words too.",
    ];
  }
  return learned.length + counted.length > 0 ? [] : ["Nothing new was learned from it."];
}

function isRecallOfBad(modelId: string, rating: Rating): boolean {
  return modelId === EMBEDDED_MODEL && rating === "bad";
}

/** How the lesson of a rating can still be had, when the model that should have learned it failed. */
export function lessonHelp({ problems, modelId }: FeedbackResult): readonly string[] {
  if (!problems.some(({ code }) => code.startsWith("MODEL_"))) return [];
  return [
    `The rating stands, but ${printable(modelId)} could not learn from it. Set \`learning.model\` in config.json, for example to ${EMBEDDED_MODEL}, and rate again.`,
  ];
}

export function feedbackRecord({
  sessionId,
  rating,
  result,
}: RatedSession): Readonly<Record<string, unknown>> {
  const { turnId, mode, counted, uncounted, kept, proposed, learned, dropped, problems } = result;
  return {
    session_id: sessionId,
    turn_id: turnId,
    rating,
    learning: mode,
    counted: counted.map(({ skillId, tag }) => ({ skill_id: skillId, tag })),
    not_counted: uncounted.map(({ skillId, tag, reason }) => ({ skill_id: skillId, tag, reason })),
    kept: kept.map(({ skillId, tag }) => ({ skill_id: skillId, tag })),
    proposed,
    learned,
    dropped,
    problems: problems.map(({ code, message }) => ({ code, message: printable(message) })),
  };
}
