/** How many answers were right. */
export interface Score {
  readonly correct: number;
  readonly total: number;
  /** 0 … 1; 0 for an empty exam. */
  readonly accuracy: number;
}

/** Exact: an answer is right when it is the expected name, character for character. Both lists are in the same order. */
export function scoreAnswers(expected: readonly string[], answers: readonly string[]): Score {
  const correct = expected.filter((name, index) => answers[index] === name).length;
  return { correct, total: expected.length, accuracy: share(correct, expected.length) };
}

/** The most frequent label; of several, the first in the alphabet. `undefined` for no labels. */
export function majorityClass(labels: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const ranked = [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return ranked[0]?.[0];
}

/** What one gets for always naming the most frequent learned label. */
export function majorityScore(learned: readonly string[], expected: readonly string[]): Score {
  const label = majorityClass(learned);
  return scoreAnswers(expected, label === undefined ? [] : expected.map(() => label));
}

/** Difference of two accuracies in percentage points, rounded to one decimal. */
export function gainPoints(after: Score, before: Score): number {
  return Math.round((after.accuracy - before.accuracy) * 1_000) / 10;
}

/** The middle of the values; the mean of the middle two when there are two. 0 for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
