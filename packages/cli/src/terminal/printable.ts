const LINE_BREAKS = /[\s\u0085]+/gu;
/** ESC and its kin drive the terminal; format, bidi and tag characters make it show something else than what is there. */
const HIDDEN = /(?!\u{FE0F})[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Text of unknown origin as one line that a terminal shows as it is: spacing collapsed, control and invisible characters removed. */
export function printable(text: string): string {
  return text.replace(LINE_BREAKS, " ").replace(HIDDEN, "").trim();
}

/** {@link printable}, cut to a number of characters with an ellipsis. */
export function shortened(text: string, length: number): string {
  const line = printable(text);
  const characters = Array.from(line);
  return characters.length <= length
    ? line
    : `${characters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`;
}

const HIDDEN_BUT_SPACING =
  /(?![\n\t]|\u{FE0F})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Text of several lines without what drives a terminal or hides; line breaks, TABs and spacing stay. */
export function safeText(text: string): string {
  return text.replace(HIDDEN_BUT_SPACING, "");
}
