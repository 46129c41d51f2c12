import { stripUnsafe } from "./sanitise.ts";

/** Code in backticks and options such as `-D`: case and signs carry meaning there (`git branch -d` keeps what `-D` destroys). */
const VERBATIM = /(?<!`)`+[^`]+`+|(?<![^\s([{"'])--?[\p{L}\p{N}][^\s,;:.!?)\]}"']*/gu;
/** Prose marks inside a sentence. Between digits they are part of the number, before a word `!` negates in code. */
const QUOTES = /["“”„«»‹›「」『』]/gu;
const SEPARATORS =
  /(?<!\p{N})[,;:.]|[,;:.](?!\p{N})|[!?](?![\p{L}\p{N}(=])|[()[\]{}…。、，；：！？]/gu;
const LOOSE_MARKS = /(?<=^|\s)['’\-–—*•·]+(?=\s|$)|(?<=^|\s)['’]+|(?<!['’])['’]+(?=\s|$)/gu;

/**
 * One form for texts that differ only in case, spacing and punctuation, to recognise exact duplicates. What changes a meaning stays
 * different: numbers ("1.5", "15"), operators (`<`, `!=`), code in backticks and command options (their case included).
 */
export function normaliseText(text: string): string {
  const clean = stripUnsafe(text).normalize("NFKC");
  let normal = "";
  let end = 0;
  for (const match of clean.matchAll(VERBATIM)) {
    normal += `${normaliseProse(clean.slice(end, match.index))} ${squeeze(match[0].replaceAll("`", ""))} `;
    end = match.index + match[0].length;
  }
  return squeeze(normal + normaliseProse(clean.slice(end)));
}

function normaliseProse(text: string): string {
  return text
    .toLowerCase()
    .replace(QUOTES, " ")
    .replace(SEPARATORS, " ")
    .replace(LOOSE_MARKS, " ")
    .replace(/(?<=\p{L})[’](?=\p{L})/gu, "'");
}

function squeeze(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
