/** A text of at most `maxChars` characters and a note: a longer one loses its middle, two thirds of the room go to the beginning. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = text.slice(0, Math.floor((maxChars * 2) / 3));
  const tail = text.slice(head.length - maxChars);
  const note = `[… ${text.length - maxChars} characters left out …]`;
  // A cut through a surrogate pair would leave half a character at the edge.
  return `${head.replace(/[\uD800-\uDBFF]$/, "")} ${note} ${tail.replace(/^[\uDC00-\uDFFF]/, "")}`;
}
