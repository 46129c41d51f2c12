/** Without halves of characters, which no encoding can hold. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}

/** The first characters, and a mark when there are more. */
export function headOf(text: string, chars: number): string {
  return text.length <= chars ? text : `${wellFormed(text.slice(0, chars))}…`;
}
