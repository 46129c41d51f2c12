import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConflictError, ValidationError } from "../../src/errors/domain-error.ts";
import { pageOfDiff } from "../../src/plans/diff-page.ts";
import type { Change } from "../../src/sandbox/change.ts";

const DIGEST = "ab".repeat(32);

function changesOf(count: number): Change[] {
  return Array.from({ length: count }, (_, index) => ({
    path: `f${index}.txt`,
    old_path: null,
    op: "modify",
    insertions: 1,
    deletions: 1,
    binary: false,
    old_mode: "100644",
    new_mode: "100644",
    note: null,
  }));
}

describe("pages of a diff", () => {
  test("hold each change once, in order, whatever their size", () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 50 }), (count, limit) => {
        const diff = { digest: DIGEST, changes: changesOf(count) };
        const seen: Change[] = [];
        let cursor: string | null = null;
        do {
          const page = pageOfDiff(diff, { limit, ...(cursor !== null && { cursor }) });
          expect(page.changes.length).toBeLessThanOrEqual(limit);
          seen.push(...page.changes);
          cursor = page.nextCursor;
        } while (cursor !== null);
        expect(seen).toEqual(diff.changes);
      }),
    );
  });

  test("without a limit there is one", () => {
    const diff = { digest: DIGEST, changes: changesOf(7) };
    expect(pageOfDiff(diff, {})).toEqual({ changes: diff.changes, nextCursor: null });
  });
});

describe("a cursor", () => {
  const diff = { digest: DIGEST, changes: changesOf(5) };
  const cursor = pageOfDiff(diff, { limit: 2 }).nextCursor ?? "";

  test("shows nothing of what it holds, and fits the wire", () => {
    expect(cursor).toMatch(/^[\w-]{1,256}$/);
  });

  test("of another change is a conflict, which names the digest of now", () => {
    const other = { digest: "cd".repeat(32), changes: changesOf(5) };
    const page = (): unknown => pageOfDiff(other, { limit: 2, cursor });
    expect(page).toThrow(ConflictError);
    expect(page).toThrow(expect.objectContaining({ details: { changeset_digest: other.digest } }));
  });

  test("of other paths is refused", () => {
    const page = (): unknown => pageOfDiff(diff, { limit: 2, cursor, paths: ["f1.txt"] });
    expect(page).toThrow(ValidationError);
    expect(page).toThrow(/other paths/);
  });

  test("that no page gave is refused, whatever it is", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => pageOfDiff(diff, { cursor: text })).toThrow(ValidationError);
      }),
    );
  });
});
