/** A list in Markdown; `[text, below]` is an item with items below it. */
export type Item = string | readonly [text: string, below: readonly string[]];

export function bullets(items: readonly Item[]): string {
  return items
    .flatMap((item) => {
      const [text, below] = typeof item === "string" ? [item, []] : item;
      return [`- ${text}`, ...below.map((line) => `  - ${line}`)];
    })
    .join("\n");
}

/** Parts with an empty line between them; those that are empty are left out. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
