import { visibleText } from "../text/visible-text.ts";

const MAX_CHARS = 1_000;
const HEAD_CHARS = 300;
const MAX_HEAD_CHARS = 800;
const CUT = " … ";

/**
 * A text of a server, of its files or about it as it may be shown and stored: without secrets, without what a terminal obeys, at
 * most 1,000 characters. Of a longer one the beginning stays, and the end, where the last words of a process stand.
 */
export function statusText(text: string, redact: (text: string) => string): string {
  const shown = visibleText(redact(text));
  if (shown.length <= MAX_CHARS) return shown;
  // The first line says what happened, and is what people read.
  const line = shown.indexOf("\n") + 1;
  const head = line <= MAX_HEAD_CHARS ? Math.max(HEAD_CHARS, line) : HEAD_CHARS;
  const tail = MAX_CHARS - head - CUT.length;
  return `${whole(shown.slice(0, head))}${CUT}${whole(shown.slice(-tail))}`;
}

/** Without halves of characters. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}
