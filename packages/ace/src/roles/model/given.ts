import { cutMiddle } from "../../text/cut-middle.ts";
import { escapeMarkers } from "../../text/escape-markers.ts";
import { stripUnsafe } from "../../text/sanitise.ts";

const TAG = "given";
/** Skills stand in this one. */
const SKILLS_TAG = "skillbook";

/** A text from outside, as the user message of a prompt holds it. */
export interface Given {
  /** What the instructions call it. */
  readonly name: string;
  /** Who it comes from, in a word or two of ours. */
  readonly origin: string;
  readonly text: string;
  /** A longer text loses its middle. */
  readonly maxChars: number;
}

/**
 * `<given name="…" origin="…">` around the text. Whatever it holds, there is one opening and one closing tag: imitations of the
 * tags, of role headers and of chat template tokens get a visible backslash, and invisible characters are dropped.
 */
export function renderGiven({ name, origin, text, maxChars }: Given): string {
  const bounded = cutMiddle(stripUnsafe(text), maxChars);
  const escaped = escapeMarkers(escapeMarkers(bounded, SKILLS_TAG), TAG);
  return `<${TAG} name="${name}" origin="${origin}">\n${escaped}\n</${TAG}>`;
}

/** The blocks of a message, those without a text left out, with an empty line between them. */
export function renderAll(
  givens: readonly (Omit<Given, "text"> & { readonly text: string | undefined })[],
): string[] {
  return givens.flatMap(({ text, ...rest }) =>
    text === undefined || text.trim() === "" ? [] : [renderGiven({ ...rest, text })],
  );
}
