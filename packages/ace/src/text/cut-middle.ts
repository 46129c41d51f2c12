/** Room for the note in place of what was left out. */
const NOTE_CHARS = 60;

/**
 * A text of at most about `maxChars` characters: a longer one loses its middle, with a note of how many characters were left
 * out. Two thirds of the room go to the beginning.
 */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = Math.floor((maxChars * 2) / 3);
  const tail = Math.max(0, maxChars - head - NOTE_CHARS);
  const start = text.slice(0, head);
  const end = tail === 0 ? "" : text.slice(-tail);
  const note = `[… ${text.length - start.length - end.length} characters left out …]`;
  // A cut through a surrogate pair would leave half a character at the edge.
  return `${start.replace(/[\uD800-\uDBFF]$/, "")} ${note} ${end.replace(/^[\uDC00-\uDFFF]/, "")}`.trimEnd();
}
