const MAX_ATTRIBUTE_CHARS = 500;

/** Half a character is no text: some services refuse the whole request for it. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\uFFFD");
}

/**
 * A text from outside between tags of ours. Whatever it holds, there is one opening and one closing tag: imitations get a
 * visible backslash. Everything else stays as it is, because models have to quote it exactly.
 */
export function asData(
  tag: string,
  attributes: Readonly<Record<string, string | undefined>>,
  text: string,
): string {
  const named = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${attributeText(value)}"`],
  );
  const imitation = new RegExp(`<(?=[\\s/]*${tag})`, "giu");
  return `<${tag}${named.join("")}>\n${wellFormed(text).replace(imitation, "<\\")}\n</${tag}>`;
}

/** One line without quotes, brackets and control characters. */
export function attributeText(value: string): string {
  const line = wellFormed(value).replace(/["<>\p{Cc}\u2028\u2029]/gu, "_");
  return line.length <= MAX_ATTRIBUTE_CHARS ? line : `${line.slice(0, MAX_ATTRIBUTE_CHARS)}…`;
}

/** Keeps the beginning and the end; what is left out is counted where it stood. */
export function withoutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = Math.floor(maxChars * 0.75);
  const tail = maxChars - head;
  const left = (text.length - maxChars).toLocaleString("en-US");
  return `${text.slice(0, head)}\n[… ${left} characters left out …]\n${text.slice(text.length - tail)}`;
}
