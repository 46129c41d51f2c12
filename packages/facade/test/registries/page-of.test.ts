import fc from "fast-check";
import { expect, test } from "vitest";
import { pageOf } from "../../src/registries/page-of.ts";

test("pages together are the sorted list, whatever their size", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string()), fc.integer({ min: 1, max: 7 }), (items, limit) => {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = pageOf(
          items,
          { limit, ...(cursor !== undefined && { cursor }) },
          (item) => item,
        );
        expect(page.items.length).toBeLessThanOrEqual(limit);
        seen.push(...page.items);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(items.toSorted((a, b) => (a < b ? -1 : 1)));
    }),
  );
});

test("what comes before the cursor meanwhile shifts nothing", () => {
  const first = pageOf(["b", "d", "f"], { limit: 2 }, (item) => item);
  const next = pageOf(
    ["a", "b", "c", "d", "f"],
    { limit: 2, cursor: first.next_cursor ?? "" },
    (item) => item,
  );
  expect([first.items, next.items]).toEqual([["b", "d"], ["f"]]);
});

test.each(["", "x", "a".repeat(200), "ZZZ="])(
  "a cursor that no page gave is refused: %j",
  (cursor) => {
    expect(() => pageOf(["a"], { limit: 1, cursor }, (item) => item)).toThrow(/cursor/);
  },
);
