/** Repeatable numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const COMMON =
  "the to of a when is and in for before with not use it on if be each file check test that request user error run".split(
    " ",
  );
const SYLLABLES =
  "ba con de fil gra in lo mer nop per qui ras sol tem un ver wil xen yor zed".split(" ");

/** Word number n of an invented vocabulary; low numbers are common in {@link sentence}. */
function word(n: number): string {
  let rest = n;
  let text = "";
  do {
    text += SYLLABLES[rest % SYLLABLES.length] ?? "";
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return text;
}

/** A sentence of words that are as unevenly frequent as those of a language: a third function words, the rest by a power law. */
export function sentence(random: () => number, length: number): string {
  return Array.from({ length }, () =>
    random() < 0.35
      ? (COMMON[Math.floor(random() * COMMON.length)] ?? "the")
      : word(Math.floor(6_000 * random() ** 3)),
  ).join(" ");
}

/** ADD operations of so many lessons: 15 to 40 words, 40 sections; one in twenty repeats an earlier lesson but for a filler. */
export function lessons(count: number, seed = 1): object[] {
  const random = randomFrom(seed);
  const contents: string[] = [];
  return Array.from({ length: count }, (_, i) => {
    const twin = i > 0 && random() < 0.05 ? contents[Math.floor(random() * i)] : undefined;
    const content =
      twin === undefined ? sentence(random, 15 + Math.floor(random() * 25)) : `Always ${twin}`;
    contents.push(content);
    return {
      type: "ADD",
      section: `section ${Math.floor(random() * 40)}`,
      content,
      evidence: sentence(random, 12),
      sources: [{ traceUid: `sample:${i}`, sourceSystem: "sample", traceId: String(i) }],
    };
  });
}
