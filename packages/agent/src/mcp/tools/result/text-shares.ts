/**
 * How many bytes of each text are shown when all together may have `limit`: short ones whole, the long ones the same share of
 * what is left.
 */
export function textShares(sizes: readonly number[], limit: number): readonly number[] {
  let left = limit;
  let count = sizes.length;
  const shares = sizes.map(() => 0);
  const ascending = sizes
    .map((size, index) => ({ size, index }))
    .toSorted((a, b) => a.size - b.size);
  for (const { size, index } of ascending) {
    const share = Math.min(size, Math.floor(left / count));
    shares[index] = share;
    left -= share;
    count -= 1;
  }
  return shares;
}
