import type { FeedbackResult } from "@acumen/agent";
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
  const { counted, proposed, learned, dropped, mode } = result;
  return [
    `Rated ${rating}: the last turn of ${sessionId}.`,
    ...counted.map(({ skillId, tag }) => `${printable(skillId)} counted ${tag}.`),
    ...proposed.flatMap(({ id, content }) => [
      `Proposed ${id}:`,
      ...wrap(printable(content), width, "  "),
    ]),
    ...learned.map((id) => `Learned ${printable(id)}.`),
    ...dropped.map(({ content, reason }) => `Not taken (${reason}): ${printable(content)}`),
    ...closing(result, proposed.length, mode),
  ];
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
  const { turnId, mode, counted, proposed, learned, dropped, problems } = result;
  return {
    session_id: sessionId,
    turn_id: turnId,
    rating,
    learning: mode,
    counted: counted.map(({ skillId, tag }) => ({ skill_id: skillId, tag })),
    proposed,
    learned,
    dropped,
    problems: problems.map(({ code, message }) => ({ code, message: printable(message) })),
  };
}
