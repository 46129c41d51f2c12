/** ISO 8601 with `+00:00`, which the Python original reads on every version; `Z` needs Python 3.11. */
export function timestamp(date: Date): string {
  return date.toISOString().replace("Z", "+00:00");
}

const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** A date of a file as it stands, with `+00:00` where it has no offset; `undefined` when it is no date. */
export function readTimestamp(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const match = ISO.exec(text);
  if (!match) return undefined;
  const complete = match[1] === undefined ? `${text}+00:00` : text;
  return Number.isNaN(Date.parse(complete)) ? undefined : complete;
}

/** Milliseconds since 1970 of a {@link timestamp}. */
export function timeOf(text: string): number {
  return Date.parse(text);
}
