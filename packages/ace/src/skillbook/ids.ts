const HYPHEN = 0x2d;
const NOT_PREFIX = /[^\p{L}\p{Nd}_]/gu;
/** Longer first words would make ids that nobody can cite. */
const PREFIX_CHARS = 32;
const FALLBACK_PREFIX = "general";
/** Above this a next number could no longer be told from its neighbour. */
const LARGEST_NUMBER = 2 ** 52;
/**
 * One token without comma (decisions join ids with it), quotes or brackets, at most 128 characters. The original takes the whole first
 * word of a section, so `c#-00001` and `i/o:-00001` are known ids.
 */
const USABLE = /^[\p{L}\p{N}_#@&$][\p{L}\p{M}\p{N}_.:/@+#&*$%!?=~^-]{0,127}$/u;
/** What nearly every id looks like; cheaper to test than {@link USABLE}. */
const PLAIN = /^[a-z_]\w{0,63}-\d{1,12}$/;
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

/** The number at the end of an id, 0 when it has none. A loop, because ordering a book asks for it thousands of times. */
export function idNumber(id: string): number {
  let start = id.length;
  while (start > 0 && isDigit(id.charCodeAt(start - 1))) start -= 1;
  const follows = start > 0 && id.charCodeAt(start - 1) === HYPHEN;
  return follows && start < id.length ? Number(id.slice(start)) : 0;
}

/** Whether an id that came from outside can stand in a book; others get a new one. */
export function isUsableId(id: string): boolean {
  if (PLAIN.test(id)) return true;
  return USABLE.test(id) && !RESERVED.test(id) && idNumber(id) < LARGEST_NUMBER;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
