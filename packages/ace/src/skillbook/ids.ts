const NUMBER_AT_END = /-(\d+)$/;
const NOT_PREFIX = /[^\p{L}\p{Nd}_]/gu;
/** Longer first words would make ids that nobody can cite. */
const PREFIX_CHARS = 32;
const FALLBACK_PREFIX = "general";
/** Above this a next number could no longer be told from its neighbour. */
const LARGEST_NUMBER = 2 ** 52;
/** One token without comma (decisions join ids with it), quotes or brackets (citations), at most 128 characters. */
const USABLE = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.:/@+-]{0,127}$/u;
/** JavaScript moves integer-like keys to the front of an object, which would reorder the book; `__proto__` is no ordinary key. */
const RESERVED = /^(?:\d+|__proto__)$/;

/** First word of a section as an id prefix: lower case, Unicode letters, digits and underscore only; `general` when nothing is left. */
export function idPrefix(section: string): string {
  const [first = ""] = section.trim().split(/\s/u, 1);
  const cleaned = first.normalize("NFKC").toLowerCase().replace(NOT_PREFIX, "");
  return Array.from(cleaned).slice(0, PREFIX_CHARS).join("") || FALLBACK_PREFIX;
}

/** `<prefix>-<5+ digits>`. */
export function formatId(section: string, number: number): string {
  return `${idPrefix(section)}-${String(number).padStart(5, "0")}`;
}

/** The number at the end of an id, 0 when it has none. */
export function idNumber(id: string): number {
  const digits = NUMBER_AT_END.exec(id)?.[1];
  return digits === undefined ? 0 : Number(digits);
}

/** Whether an id that came from outside can stand in a book; others get a new one. */
export function isUsableId(id: string): boolean {
  return USABLE.test(id) && !RESERVED.test(id) && idNumber(id) < LARGEST_NUMBER;
}
