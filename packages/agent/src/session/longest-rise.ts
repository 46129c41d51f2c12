/** The most items, in their order, of which each has a higher number than the one before. O(n log n), O(n) when all rise. */
export function longestRise<Item>(
  items: readonly Item[],
  numberOf: (item: Item) => number,
): Item[] {
  /** For each length, the end of the rise of that length that ends lowest. */
  const ends: Link<Item>[] = [];
  for (const item of items) {
    const number = numberOf(item);
    const length = firstAtLeast(ends, number);
    // Of equal ones the first stays.
    if (ends[length]?.number === number) continue;
    ends[length] = { item, number, before: ends[length - 1] };
  }
  const rise: Item[] = [];
  for (let link = ends.at(-1); link !== undefined; link = link.before) rise.push(link.item);
  return rise.toReversed();
}

interface Link<Item> {
  readonly item: Item;
  readonly number: number;
  readonly before: Link<Item> | undefined;
}

function firstAtLeast(ends: readonly Link<unknown>[], number: number): number {
  const last = ends.at(-1);
  if (last === undefined || last.number < number) return ends.length;
  let low = 0;
  for (let high = ends.length - 1; low < high;) {
    const middle = (low + high) >> 1;
    if ((ends[middle]?.number ?? number) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
