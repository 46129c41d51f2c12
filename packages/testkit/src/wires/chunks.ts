/** Pieces of `size` code points; none for an empty text. */
export function chunksOf(text: string, size: number): string[] {
  const points = Array.from(text);
  const step = Math.max(1, size);
  const chunks: string[] = [];
  for (let start = 0; start < points.length; start += step) {
    chunks.push(points.slice(start, start + step).join(""));
  }
  return chunks;
}

/** At most `count` pieces of nearly equal length. */
export function splitInto(text: string, count: number): string[] {
  const length = Array.from(text).length;
  return chunksOf(text, Math.ceil(length / Math.max(1, count)));
}
