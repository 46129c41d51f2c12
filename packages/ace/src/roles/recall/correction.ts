import { answerOf } from "../../text/answer-line.ts";
import { normaliseText } from "../../text/normalise.ts";
import type { SkillbookView } from "../../skillbook/view.ts";

const LONGEST_CORRECTION = 300;
const NOUN =
  "(?:answer|tag|label|value|result|category|class|choice|option|response|solution|one|name|code)";
const WHAT = String.raw`(?<what>"[^"\n]{1,300}"|“[^”\n]{1,300}”|'[^'\n]{1,300}'|${"`[^`\n]{1,300}`"}|[^\n;"“]{1,300}?)(?=\s*(?:[.!;](?:\s|$)|,\s|\s+(?:instead|not|rather than|because|since)\b|$|\n))`;
/** Say outright what the answer is. */
const STATED = [
  new RegExp(
    String.raw`\b(?:correct|right|true|expected|actual)\s+${NOUN}\s*(?:is|was|would be|should be|should have been|:)\s*:?\s*${WHAT}`,
    "giu",
  ),
  new RegExp(String.raw`\bexpected\s*:\s*${WHAT}`, "giu"),
];
/** May introduce a wish ("should be shorter") as well as an answer. */
const WISHED = new RegExp(
  String.raw`\b(?:should|must|ought to)\s+(?:be|have been|read|say)\s*:?\s*${WHAT}`,
  "giu",
);

/**
 * The answer that a correction names, such as `GrossProfit` in "Wrong, it should be GrossProfit." `undefined` unless there is exactly one
 * and it is beyond doubt: quoted, said outright to be the right answer, known to the book, or shaped like a name, code or number.
 */
export function correctionIn(feedback: string, book: SkillbookView): string | undefined {
  const stated = STATED.flatMap((pattern) => matchesOf(feedback, pattern));
  const wished = matchesOf(feedback, WISHED).filter(
    (text) => isQuoted(text) || looksLikeName(unquote(text)) || isKnownAnswer(unquote(text), book),
  );
  const found = new Map(
    [...stated, ...wished].map(unquote).map((text) => [normaliseText(text), text]),
  );
  const [only] = found.values();
  return found.size === 1 && only !== "" ? only : undefined;
}

function matchesOf(feedback: string, pattern: RegExp): string[] {
  return [...feedback.matchAll(pattern)]
    .map((match) => (match.groups?.["what"] ?? "").trim())
    .filter((text) => text !== "" && text.length <= LONGEST_CORRECTION);
}

function isQuoted(text: string): boolean {
  return /^["“'`]/.test(text);
}

function unquote(text: string): string {
  return text.replace(/^["“'`]+|["”'`]+$/g, "").trim();
}

/** One token that no sentence would hold by chance: camel case, digits, underscores or hyphens, all capitals. */
function looksLikeName(text: string): boolean {
  return /^\S+$/u.test(text) && /\p{N}|_|\p{Ll}\p{Lu}|^\p{Lu}{2,}$|\p{L}-\p{L}/u.test(text);
}

function isKnownAnswer(text: string, book: SkillbookView): boolean {
  const wanted = normaliseText(text);
  return book.skills().some(({ content }) => {
    const answer = answerOf(content);
    return answer !== undefined && normaliseText(answer) === wanted;
  });
}
