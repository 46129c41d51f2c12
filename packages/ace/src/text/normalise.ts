import { stripUnsafe } from "./sanitise.ts";

/** Code in backticks and options such as `-D`: case and signs carry meaning there (`git branch -d` keeps what `-D` destroys). */
const VERBATIM = /(?<!`)`+[^`]+`+|(?<![^\s([{"'])--?[\p{L}\p{N}][^\s,;:.!?)\]}"']*/gu;
/** Stands for a verbatim span; clean text holds no control characters. */
const SPAN = "\0";
/** Scripts that write no spaces, so that their marks touch letters on both sides. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;

/** An asterisk or hyphen that opens a line is a bullet before a word, but a sign before a number or a variable ("- 5", "* x"). */
const BULLET = /^[^\S\n]*(?:[-–—*]+[^\S\n]+(?=["'(*]*(?:\p{L}{2}|\0))|[•·]+[^\S\n]*)/gmu;
/** A dash between words; with a number beside it, it may be a minus or a range. */
const DASH =
  /(?<=[\p{L}\p{M}"').,;:!?])[^\S\n]+[–—]+[^\S\n]+(?=["'(]*\p{L})|(?<=\p{L})—(?=\p{L})/gu;
const BOLD =
  /(?<![\p{L}\p{N}*])\*\*(?=[\p{L}\p{N}\0"'(])([^*\n]*[\p{L}\p{N}\0.,;:!?"')])\*\*(?![\p{L}\p{N}*])/gu;
const ASIDE = new RegExp(
  String.raw`(?<![^\s"'${UNSPACED}])\(([^()]*)\)(?=[,;:.!"']*(?:\s|$|[${UNSPACED}]))`,
  "gu",
);
/** Brackets around these group ("(a + b) * c", "(a and b) or c"); brackets around a bare number may say that it is negative. */
const GROUPED = /[=<>+*/\\|&^~@#{}[\]]|(?:^|\s)-|\s(?:and|or|xor)\s|^[^\p{L}\0]*$/iu;
const EMPTY_QUOTES = /“”|„“|«»|「」|『』/gu;
const TYPOGRAPHIC_QUOTES = /["“”„«»‹›「」『』]/gu;
const UNSPACED_MARKS = new RegExp(
  String.raw`[。、]|(?<=[${UNSPACED}])[,;:.!?]|[,;:.?](?=[${UNSPACED}])`,
  "gu",
);

/**
 * One form for texts that differ only in case, spacing and punctuation, to recognise exact duplicates. What changes a meaning stays
 * different: numbers ("1.5", "15"), operators (`<`, `!=`, a lone `-`, `*` or `?`), brackets of code (`f([x])`, `{}`), code in
 * backticks and command options (their case included). A mark is dropped only where prose writes one, because a pair that is missed
 * costs one skill too many, and a pair that is taken for one costs a lesson.
 */
export function normaliseText(text: string): string {
  const clean = stripUnsafe(text).normalize("NFKC");
  const spans = clean.match(VERBATIM) ?? [];
  const prose = dropProseMarks(clean.replace(VERBATIM, SPAN)).replace(UNSPACED_MARKS, " ");
  let previous = "";
  const folded = prose.split(/\s+/).map((chunk) => {
    const isOperand = /[=<>+*/|&]$/.test(previous);
    previous = chunk;
    return foldChunk(chunk, isOperand);
  });
  let next = 0;
  const normal = folded
    .join(" ")
    .replaceAll(SPAN, () => ` ${(spans[next++] ?? "").replaceAll("`", "")} `);
  return normal.replace(/\s+/gu, " ").trim();
}

/**
 * Takes out what only lays out prose: bullets, dashes between words, bold, brackets around an aside. Code in backticks and options
 * stay as they are. `text` has to be free of control characters.
 */
export function withoutProseMarks(text: string): string {
  const spans = text.match(VERBATIM) ?? [];
  let next = 0;
  return layOut(text.replace(VERBATIM, SPAN)).replaceAll(SPAN, () => spans[next++] ?? "");
}

function dropProseMarks(text: string): string {
  const straight = text.replaceAll(/[‘’]/g, "'").replace(EMPTY_QUOTES, '""');
  return layOut(straight).replace(TYPOGRAPHIC_QUOTES, (mark) => (mark === '"' ? mark : " "));
}

function layOut(text: string): string {
  return text
    .replace(BULLET, "")
    .replace(BOLD, "$1")
    .replace(DASH, " ")
    .replace(ASIDE, (whole, inside: string) =>
      GROUPED.test(inside) ? whole : inside.trim().replace(/[,;:.]$/, ""),
    );
}

function foldChunk(chunk: string, isOperand: boolean): string {
  // A mark by itself says something ("x ? y : z", "git add ."), but for an ellipsis.
  if (!/[\p{L}\p{N}\0]/u.test(chunk)) return /^\.{3,}$/.test(chunk) ? "" : chunk;
  const bare = isOperand ? chunk : chunk.replace(/^(?:["'¡¿]+|\.{3,})(?=[\p{L}\p{N}\0])/u, "");
  return withoutEndMarks(bare, isOperand || bare === chunk)
    .toLowerCase()
    .replace(/(?<!\p{N}),|,(?!\p{N})/gu, " ");
}

const END_MARKS = ",;:.!?\"'";
const LETTER_OR_SPAN = /[\p{L}\p{M}\p{N}\0]$/u;
const NUMBER_OR_VARIABLE = /(?:\p{N}|(?<![\p{L}\p{N}])\p{L})$/u;
const SIGN_BEFORE = /[/\\*@$^|&=<>~]$/;

/**
 * A chunk without the sentence marks and closing quotes at its end. They stay where they belong to it: `x!` and `5'` of formulas and
 * measures, `src/.`, `main..`, `std::`, `(ab)?`.
 * @param isOpen whether no quote was opened in this chunk
 */
export function withoutEndMarks(chunk: string, isOpen = true): string {
  let end = chunk.length;
  while (end > 0 && END_MARKS.includes(chunk.charAt(end - 1))) end--;
  const body = chunk.slice(0, end);
  const marks = chunk.slice(end);
  return body === "" || belongs(body.slice(-4), marks, isOpen) ? chunk : body;
}

function belongs(body: string, marks: string, isOpen: boolean): boolean {
  if (marks === "" || marks.includes("::") || /(?<!\.)\.\.(?!\.)/.test(marks)) return true;
  if (SIGN_BEFORE.test(body)) return true;
  if (/[!?]/.test(marks) && !LETTER_OR_SPAN.test(body) && !/["'%]/.test(marks)) return true;
  const [first] = marks;
  // Inches and quotes look alike, primes behind a variable do not.
  if (first === '"') return isOpen && /\p{N}$/u.test(body);
  return NUMBER_OR_VARIABLE.test(body) && (first === "!" || (isOpen && first === "'"));
}
