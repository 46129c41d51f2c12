import { ValidationError } from "../errors/domain-error.ts";
import type { ListedPage } from "../services/registries.ts";

/**
 * One page of a list that is made anew each time, sorted by key; the cursor is the last key, so what comes and goes shifts nothing.
 * @throws ValidationError for a cursor that no page gave
 */
export function pageOf<T>(
  items: readonly T[],
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
  keyOf: (item: T) => string,
): ListedPage<T> {
  const sorted = items.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  const after = cursor === undefined ? undefined : decoded(cursor);
  const rest =
    after === undefined ? sorted : sorted.filter((item) => compare(keyOf(item), after) > 0);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const isMore = rest.length > page.length && last !== undefined;
  return { items: page, next_cursor: isMore ? encoded(keyOf(last)) : null };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function encoded(key: string): string {
  return Buffer.from(`k${key}`).toString("base64url");
}

function decoded(cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString();
  if (text.startsWith("k") && encoded(text.slice(1)) === cursor) return text.slice(1);
  throw new ValidationError("The cursor is not one that a page gave; begin without one.", [
    { path: ["cursor"], message: "unknown cursor" },
  ]);
}
