/** As usual for BM25. */
const K1 = 1.2;
const B = 0.75;

/** How often each term stands in a file, and how long the file is. */
export interface TermCounts {
  readonly chars: number;
  /** In the order of the terms. */
  readonly counts: readonly number[];
}

/** Also within names: `order` counts in `reorderAll`. */
export function countTerms(text: string, terms: readonly string[]): TermCounts {
  const lower = text.toLowerCase();
  return {
    chars: text.length,
    counts: terms.map((term) => {
      let count = 0;
      for (let at = lower.indexOf(term); at !== -1; at = lower.indexOf(term, at + term.length)) {
        count += 1;
      }
      return count;
    }),
  };
}

/** How rare each term is among the files. */
export function rarity(files: readonly TermCounts[], terms: readonly string[]): readonly number[] {
  return terms.map((_, index) => {
    const having = files.filter(({ counts }) => (counts[index] ?? 0) > 0).length;
    return Math.log(1 + (files.length - having + 0.5) / (having + 0.5));
  });
}

/** BM25 of each file, divided by the best one: 0 to 1. */
export function bm25(files: readonly TermCounts[], terms: readonly string[]): readonly number[] {
  const weights = rarity(files, terms);
  const mean = files.reduce((sum, { chars }) => sum + chars, 0) / Math.max(1, files.length);
  const raw = files.map(({ chars, counts }) =>
    counts.reduce((sum, count, index) => {
      const norm = K1 * (1 - B + (B * chars) / Math.max(1, mean));
      return sum + ((weights[index] ?? 0) * count * (K1 + 1)) / (count + norm);
    }, 0),
  );
  const best = raw.reduce((most, score) => Math.max(most, score), 0);
  return raw.map((score) => (best === 0 ? 0 : score / best));
}

/** 0 to 1: 1 for a path that the question names, less for one of whose words it has some. Without words: the nearer to the top the more. */
export function pathScore(path: string, query: string, terms: readonly string[]): number {
  if (query.includes(path)) return 1;
  if (terms.length === 0) return 0.5 / path.split("/").length;
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  const hits = terms.map((term) => (name.includes(term) ? 1 : lower.includes(term) ? 0.5 : 0));
  const sum = hits.reduce<number>((total, hit) => total + hit, 0);
  return Math.min(0.9, sum / Math.min(3, terms.length));
}
