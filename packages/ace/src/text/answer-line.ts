const ANSWER_LINE = /^Answer:(?: |$)/gm;

/**
 * The answer that a lesson ends with: the text after the last line start `Answer: `, trimmed, up to the end of the content (so that
 * answers of several lines survive). `undefined` without such a line; an empty answer is `""`.
 */
export function answerOf(content: string): string | undefined {
  let start: number | undefined;
  for (const match of content.matchAll(ANSWER_LINE)) start = match.index + match[0].length;
  return start === undefined ? undefined : content.slice(start).trim();
}

/** The text of a lesson without its answer line, trimmed. */
export function withoutAnswer(content: string): string {
  let start = content.length;
  for (const match of content.matchAll(ANSWER_LINE)) start = match.index;
  return content.slice(0, start).trim();
}

/**
 * Ends a text with the answer line that {@link answerOf} reads back: `answerOf(withAnswer(text, answer)) === answer.trim()`, unless a
 * later line of the answer looks like an answer line itself; such a line gets one space of indent.
 */
export function withAnswer(text: string, answer: string): string {
  const body = answer.trim().replace(/\n(?=Answer:(?: |$))/gm, "\n ");
  const lead = text.trimEnd();
  return `${lead}${lead === "" ? "" : "\n"}Answer: ${body}`.trimEnd();
}
