import { type ContentBlock, textOf } from "../content/content-block.ts";

const MAX_CHARS = 80;

/** The first line with words of a first prompt, on one line, without anything that a terminal would obey. */
export function titleOf(prompt: readonly ContentBlock[]): string {
  for (const line of textOf(prompt).split(/[\n\r\u2028\u2029]/)) {
    const clean = line.replace(/\t/g, " ").replace(/\p{C}/gu, "").replace(/\s+/g, " ").trim();
    if (clean === "") continue;
    const characters = Array.from(clean);
    if (characters.length <= MAX_CHARS) return clean;
    return `${characters
      .slice(0, MAX_CHARS - 1)
      .join("")
      .trimEnd()}…`;
  }
  return "";
}
