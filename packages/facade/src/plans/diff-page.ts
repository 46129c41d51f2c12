import { createHash } from "node:crypto";
import { ConflictError, ValidationError } from "../errors/domain-error.ts";
import type { Change } from "../sandbox/change.ts";
import type { SandboxDiff } from "../sandbox/sandboxes.ts";

/** Which part of a list of changes is asked for. */
export interface PageOptions {
  /** Only changes at or below these paths. */
  readonly paths?: readonly string[];
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** Changes of a page; absent: all. */
  readonly limit?: number;
}

export interface DiffPage {
  readonly changes: readonly Change[];
  /** Null: there are no more. */
  readonly nextCursor: string | null;
}

/** Digest of the change, of the paths, and how many changes come before. */
const CURSOR = /^([0-9a-f]*)\.([0-9a-f]{16})\.(\d{1,9})$/;

/**
 * A page of the changes in the order of the diff, which the same change always has.
 * @throws ValidationError for a cursor that no page with these paths gave; ConflictError for one of another change
 */
export function pageOfDiff(
  { digest, changes }: Pick<SandboxDiff, "digest" | "changes">,
  { paths, cursor, limit }: PageOptions,
): DiffPage {
  const filter = createHash("sha256")
    .update(JSON.stringify(paths ?? null))
    .digest("hex");
  const chosen = filter.slice(0, 16);
  const from = cursor === undefined ? 0 : placeOf(cursor, digest, chosen);
  const end = limit === undefined ? changes.length : from + limit;
  const isMore = end < changes.length;
  return {
    changes: changes.slice(from, end),
    nextCursor: isMore ? Buffer.from(`${digest}.${chosen}.${end}`).toString("base64url") : null,
  };
}

function placeOf(cursor: string, digest: string, chosen: string): number {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const [, ofDigest, ofPaths, place] = CURSOR.exec(text) ?? [];
  if (ofPaths !== chosen) {
    const message =
      ofPaths === undefined
        ? "The cursor is not one that a page gave; begin without one."
        : "The cursor is of a diff with other paths; give the same ones, or begin without it.";
    throw new ValidationError(message, [{ path: ["cursor"], message: "unknown cursor" }]);
  }
  if (ofDigest === digest) return Number(place);
  throw new ConflictError(
    "The change is another one than that of the page before; begin again without a cursor.",
    { details: { changeset_digest: digest } },
  );
}
