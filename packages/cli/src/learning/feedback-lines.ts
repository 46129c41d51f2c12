import type { FeedbackResult, UncountedSkill } from "@acumen/agent";
import { count } from "../terminal/count.ts";
import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import type { RatedSession } from "./rate.ts";

/** What a rating led to. */
export function feedbackLines(
  { width }: Pick<Terminal, "width">,
  { sessionId, rating, result }: RatedSession,
): string[] {
  const { counted, uncounted, kept, proposed, learned, dropped, mode } = result;
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
    ...closing(result, proposed.length, mode),
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

function closing({ learned, counted }: FeedbackResult, proposed: number, mode: string): string[] {
  if (mode === "off") return ["Nothing is learned: the setting `learning.mode` is `off`."];
  if (proposed > 0) {
    return [`\`acumen skillbook review\` accepts or refuses ${count(proposed, "proposal")}.`];
  }
  return learned.length + counted.length > 0 ? [] : ["Nothing new was learned from it."];
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
