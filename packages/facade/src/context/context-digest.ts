import { createHash } from "node:crypto";
import type { ContextFragment, DroppedFragment } from "../services/context-service.ts";

/** SHA-256 (hex) over what was asked for and what came of it: neither times nor ids of requests. */
export function contextDigest(
  parameters: Readonly<Record<string, unknown>>,
  fragments: readonly ContextFragment[],
  dropped: readonly DroppedFragment[],
): string {
  const parts = [
    Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    fragments.map(({ uri, detail, hash, pinned, trust }) => [uri, detail, hash, pinned, trust]),
    dropped.map(({ uri, reason }) => [uri, reason]),
  ];
  return sha256(JSON.stringify(parts));
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
