/**
 * Everything that a terminal or an editor would obey, reorder or swallow: controls except line feed and TAB, lone surrogates,
 * format characters (bidi marks and overrides, zero-width, tags), what else Unicode calls ignorable, line and paragraph
 * separators, and the one blank that is a symbol (U+2800). The selector that gives an emoji its colour stays behind its emoji.
 */
const UNSEEN =
  /(?![\n\t])(?!(?<=\p{Extended_Pictographic})\uFE0F)[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const SAFE_ASCII = /^[\n\t -~]*$/;

/** Text of several lines in which nothing is hidden: each unseen character becomes its escape, such as `\u{202e}`. */
export function visibleText(text: string): string {
  return SAFE_ASCII.test(text) ? text : text.replace(UNSEEN, escape);
}

/** {@link visibleText} for one line: line feeds and TABs become escapes too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, escape);
}

function escape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
