import { ValidationError } from "../errors/domain-error.ts";

const MAX_PAGE = 200;

/**
 * Where a page begins: places below this one; undefined from the newest on.
 * @throws ValidationError for a cursor that no page gave, or a limit that is not 1 to 200
 */
export function placeOf({
  cursor,
  limit,
}: {
  readonly cursor?: string;
  readonly limit: number;
}): number | undefined {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new ValidationError(`A page has 1 to ${MAX_PAGE} items.`, [
      { path: ["limit"], message: `expected a whole number from 1 to ${MAX_PAGE}` },
    ]);
  }
  if (cursor === undefined) return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new ValidationError("The cursor is not one that a page gave.", [
    { path: ["cursor"], message: "expected `next_cursor` of the page before" },
  ]);
}
