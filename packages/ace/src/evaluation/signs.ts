import type { AnswerText } from "./answer-words.ts";

const LINE_MARKS = /\n[^\S\n]*[-*+>•]+\s/g;
const SENTENCE_MARKS = /^[!?.,;:]+(?=\s|$)/;
const SIGNS = /[=!<>≤≥≠≈≡¬±×÷∧∨→⇒←+*^|~√/&\-[\]{}()]+|""|(?<=\s)\?(?=\s)/gu;
const SPELLINGS: readonly [RegExp, string][] = [
  [/-+>/g, "→"],
  [/>=/g, "≥"],
  [/<=/g, "≤"],
  [/!=(?!=)/g, "≠"],
  [/--+/g, ""],
];
const OPERATOR = /[=!<>≤≥≠≈≡¬±×÷∧∨→⇒←+*^|~√?]|&&|\[\]|\{\}|""/u;
/** A number or a variable, beside which a hyphen is a minus and a slash divides. */
const TERM = /^(?:-?\p{N}.*|\p{L})$/u;
/** Signs that belong to the word behind them: `!flag`, `-x`, `*name`. */
const PREFIX = /(?:^|[\s([{"'`=])([!¬√*-]+)$/u;
const COMPARISON = /(?:(?<![-=<])[<>]=?|[≤≥≠]|!=)\s*$/u;
/** Signs that belong to the word before them: the grades "A+" and "A-", "18+", `name*`, an empty list or object. */
const SUFFIX = /^(?!--)[+*-]+(?=[\s,;:.!?)\]"']|$)|^\s*(?:\[\]|\{\}|"")/u;

/** Whether the words of `said` from `at` on stand among the same operators and brackets as those of `expected`, which they equal. */
export function signsAgree(said: AnswerText, at: number, expected: AnswerText): boolean {
  const length = expected.words.length;
  if (outerSigns(said, at, length) !== outerSigns(expected, 0, length)) return false;
  const here = innerSigns(said, at, length);
  const there = innerSigns(expected, 0, length);
  const matter = [here, there].some((signs) => hasOperator(signs, expected.words));
  return here.every((sign, i) => {
    const other = there[i] ?? "";
    return sign === other || (!matter && isSameSoftly(sign, other, isDate(expected.words)));
  });
}

/** "TCP/IP" and "TCP IP", "[a, b]" and "a, b" are the same; "revenue - cost" and "revenue / cost" are not. */
function isSameSoftly(a: string, b: string, inDate: boolean): boolean {
  const [bareA, bareB] = [a, b].map((sign) => sign.replace(/[[\]{}()]/g, ""));
  return inDate || bareA === bareB || bareA === "" || bareB === "";
}

/** 2018-12-31, 2018/12/31. */
function isDate(words: readonly string[]): boolean {
  return words.length === 3 && words.every((word) => /^\p{N}+$/u.test(word));
}

/** Whether a truth has signs that an answer has to repeat. */
export function hasSigns(expected: AnswerText): boolean {
  const length = expected.words.length;
  return (
    outerSigns(expected, 0, length) !== " " ||
    hasOperator(innerSigns(expected, 0, length), expected.words)
  );
}

function innerSigns({ gaps }: AnswerText, at: number, length: number): string[] {
  return gaps.slice(at + 1, at + length).map((gap) => {
    if (gap.trim() === "") return "";
    const line = gap.replace(LINE_MARKS, " ").replace(SENTENCE_MARKS, "");
    const signs = (line.match(SIGNS) ?? []).join("");
    return SPELLINGS.reduce((text, [spelling, sign]) => text.replace(spelling, sign), signs);
  });
}

function hasOperator(signs: readonly string[], words: readonly string[]): boolean {
  if (isDate(words)) return signs.some((sign) => OPERATOR.test(sign));
  return signs.some((sign, i) => {
    const isBesideTerm = TERM.test(words[i] ?? "") || TERM.test(words[i + 1] ?? "");
    return OPERATOR.test(sign) || (isBesideTerm && /[-/]/.test(sign));
  });
}

/** The signs before and behind, a space between. */
function outerSigns({ words, gaps }: AnswerText, at: number, length: number): string {
  const before = gaps[at] ?? "";
  const isNumber = /^-?\p{N}/u.test(words[at] ?? "");
  const comparison = isNumber ? (COMPARISON.exec(before)?.[0].trim() ?? "") : "";
  const prefix = comparison === "" ? (PREFIX.exec(before)?.[1] ?? "") : comparison;
  const suffix = SUFFIX.exec(gaps[at + length] ?? "")?.[0].trim() ?? "";
  return `${prefix} ${suffix}`;
}
