/**
 * Characters that read like ASCII but that NFKD leaves alone: the letters of Cyrillic, Greek and Armenian with a Latin twin, and the
 * signs that markup is made of. From Unicode's confusables (UTS 39), cut to what role names and tags are written with.
 */
const LOOKALIKES = new Map<string, string>(
  [
    ["<", "‹〈⟨❮❬˂ᐸ"],
    [">", "›〉⟩❯❭˃ᐳ"],
    ["/", "∕⁄⧸╱"],
    [":", "∶꞉ːˑ։׃"],
    ["|", "│∣ǀ❘⏐"],
    ["a", "аαɑ"],
    ["c", "сϲ"],
    ["d", "ԁ"],
    ["e", "еєҽ"],
    ["h", "һհ"],
    ["i", "іιıӏ"],
    ["k", "кκ"],
    ["l", "ӏ"],
    ["m", "мμ"],
    ["n", "ոп"],
    ["o", "оοօ"],
    ["p", "рρ"],
    ["r", "г"],
    ["s", "ѕꜱ"],
    ["t", "тτ"],
    ["u", "υս"],
    ["v", "νѵ"],
    ["y", "уγү"],
  ].flatMap(([ascii = "", twins = ""]) =>
    Array.from(twins, (twin): [string, string] => [twin, ascii]),
  ),
);
const ASCII = /^[\0-\x7F]*$/;
const MARKS = /\p{M}/gu;

/** A text as a reader takes it: lower case, compatibility forms and twins as ASCII, accents dropped; with its way back. */
export interface Skeleton {
  readonly text: string;
  /** Where a position of `text` begins in the original (UTF-16 index). */
  readonly origin: (position: number) => number;
}

/** See {@link Skeleton}. */
export function skeletonOf(text: string): Skeleton {
  if (ASCII.test(text)) return { text: text.toLowerCase(), origin: (position) => position };
  let skeleton = "";
  const origins: number[] = [];
  let index = 0;
  for (const character of text) {
    const plain = character.normalize("NFKD").replace(MARKS, "").toLowerCase();
    for (const unit of plain) {
      const twin = LOOKALIKES.get(unit) ?? unit;
      for (let i = 0; i < twin.length; i++) origins.push(index);
      skeleton += twin;
    }
    index += character.length;
  }
  return { text: skeleton, origin: (position) => origins[position] ?? text.length };
}
