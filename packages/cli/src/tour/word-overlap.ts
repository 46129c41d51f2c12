/**
 * How much two texts say the same in the same words: shared distinct words / distinct words of the shorter one, 0 … 1.
 * Words are runs of letters and digits in lower case. Stop words count, so that the figure also sees copied sentence
 * frames; dividing by the shorter text sees a short text that is contained in a long one, which Jaccard would not.
 */
export function wordOverlap(a: string, b: string): number {
  return overlapOf(wordsOf(a), wordsOf(b));
}

/** The largest {@link wordOverlap} between a text of one set and a text of the other. */
export function largestOverlap(left: readonly string[], right: readonly string[]): number {
  const others = right.map(wordsOf);
  let largest = 0;
  for (const words of left.map(wordsOf)) {
    for (const other of others) largest = Math.max(largest, overlapOf(words, other));
  }
  return largest;
}

function overlapOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  if (small.size === 0) return 0;
  let shared = 0;
  for (const word of small) if (large.has(word)) shared += 1;
  return shared / small.size;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
