const ZERO = 48;

/**
 * Order of creation: the number of a skill id never repeats or falls in a book, so new skills come last and a printed list keeps its
 * beginning, which is what prompt caches of providers match. Ids without a number come first; equal numbers are ordered by the text.
 */
export function compareSkillIds(a: string, b: string): number {
  return numberAtEnd(a) - numberAtEnd(b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** Without a regular expression, because sorting a big book asks for it a hundred thousand times. */
function numberAtEnd(id: string): number {
  let number = 0;
  let unit = 1;
  for (let i = id.length - 1; i >= 0; i--) {
    const digit = id.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return id[i] === "-" ? number : -1;
    number += digit * unit;
    unit *= 10;
  }
  return -1;
}
