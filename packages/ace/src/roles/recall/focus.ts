/** Longer quotations are passages to read, not something a question points at. */
const LONGEST_SPAN = 80;
/** Whoever points at something quotes it early; a text full of quotations must not take the square of its length. */
const MOST_QUOTATIONS = 20;
const QUOTED = new RegExp(
  [
    `"([^"\\n]{1,${LONGEST_SPAN}})"`,
    `“([^“”\\n]{1,${LONGEST_SPAN}})”`,
    `«([^«»\\n]{1,${LONGEST_SPAN}})»`,
    `\`([^\`\\n]{1,${LONGEST_SPAN}})\``,
    // An apostrophe inside a word is no quotation mark.
    `(?<![\\p{L}\\p{N}])['‘]([^'‘’\\n]{1,${LONGEST_SPAN}})['’](?![\\p{L}\\p{N}])`,
  ].join("|"),
  "gu",
);

/** The part of its own text that a question asks about. */
export interface Focus {
  readonly span: string;
  /** The quotation, marks included: start and end in the text. */
  readonly start: number;
  readonly end: number;
  /** Where the span occurs outside the quotation, in order; at least one place. */
  readonly places: readonly number[];
}

/**
 * Finds the first short quotation whose words occur again in the text, such as `"34.6"` in
 * `What is the tag of "34.6" in: "The company owned 34.6 % of it."`. `undefined` when the text points at nothing.
 */
export function findFocus(text: string): Focus | undefined {
  let seen = 0;
  for (const match of text.matchAll(QUOTED)) {
    if (seen++ === MOST_QUOTATIONS) return undefined;
    const span = (match.slice(1).find((group) => group !== undefined) ?? "").trim();
    const start = match.index;
    const end = start + match[0].length;
    const places = span === "" ? [] : placesOf(text, span, start, end);
    if (places.length > 0) return { span, start, end, places };
  }
  return undefined;
}

function placesOf(text: string, span: string, start: number, end: number): number[] {
  const exact = wholeWordPlaces(text, span).filter((place) => place < start || place >= end);
  if (exact.length > 0) return exact;
  const lower = text.toLowerCase();
  // Some letters change their length in lower case, and then places would not be places of the text.
  if (lower.length !== text.length) return [];
  return wholeWordPlaces(lower, span.toLowerCase()).filter(
    (place) => place < start || place >= end,
  );
}

function wholeWordPlaces(text: string, span: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(span); at >= 0; at = text.indexOf(span, at + span.length)) {
    if (isWhole(text, at, at + span.length)) places.push(at);
  }
  return places;
}

/** "4" is no place in "14", "4.5" or "x4"; a full stop at the end of a sentence doesn't count as part of a number. */
function isWhole(text: string, from: number, to: number): boolean {
  const before = text.slice(Math.max(0, from - 2), from);
  const after = text.slice(to, to + 2);
  return !/[\p{L}\p{N}]$|\p{N}[.,]$/u.test(before) && !/^[\p{L}\p{N}]|^[.,]\p{N}/u.test(after);
}
