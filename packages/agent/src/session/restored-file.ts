import { createHash } from "node:crypto";
import { dirname } from "node:path";
import type { FileOperations } from "../tools/operations.ts";
import { fileRefused } from "../workspace/file-refused.ts";
import { openForReading } from "../workspace/open-handle.ts";
import { type DiskFacts, factsOf } from "../workspace/read-file.ts";
import { realPathOf } from "../workspace/real-path.ts";
import { sha256 } from "../workspace/sha256.ts";
import type { Place, Workspace } from "../workspace/workspace.ts";
import type { BeforeImage } from "./session-store.ts";

/** A file that an undo gives back what it held; looked at, not changed. */
export interface RestoredFile {
  readonly place: Place;
  /** How it shall be. */
  readonly image: BeforeImage;
  /** What the disk has there now; undefined: nothing. */
  readonly disk: DiskFacts | undefined;
  /** What the host's editor holds instead, not saved. */
  readonly held: string | undefined;
  /** False: it is as it shall be. */
  readonly differs: boolean;
}

/**
 * @param image how the file shall be
 * @param expected SHA-256 (hex) of what may stand there now, null for no file; anything else is somebody's work
 * @throws FileRefused with a reason that goes on after the path; the system's error
 */
export async function lookAt(
  image: BeforeImage,
  expected: ReadonlySet<string | null>,
  { workspace, operations }: { workspace: Workspace; operations: FileOperations | undefined },
): Promise<RestoredFile> {
  const place = await placeOf(image.path, workspace);
  const now = await standingAt(place);
  const held = await operations?.readBuffer?.(place.path, new AbortController().signal);
  const standing = held === undefined ? now?.hash : sha256(Buffer.from(held, "utf8"));
  if (!expected.has(standing ?? null)) {
    throw fileRefused(standing === undefined ? "somebody removed it" : "somebody else changed it");
  }
  if (image.content === null && held !== undefined)
    throw fileRefused("the editor holds it unsaved; close it there without saving it");
  // The mode of a file that the editor holds is the editor's affair.
  const sameMode = held !== undefined || image.mode === null || image.mode === now?.disk.mode;
  const differs = hashOf(image) !== standing || !sameMode;
  return { place, image, disk: now?.disk, held, differs };
}

function hashOf({ content }: BeforeImage): string | undefined {
  return content === null ? undefined : sha256(content);
}

/** The boundaries are those of today, and the path must still lead to itself. */
async function placeOf(path: string, workspace: Workspace): Promise<Place> {
  const real = await realPathOf(path);
  if (!real.ok) throw fileRefused(`it ${real.reason}`);
  if (real.path !== path) {
    const folder = await realPathOf(dirname(path));
    const inPlace = folder.ok && folder.path === dirname(path);
    throw fileRefused(
      inPlace ? "a link stands in its place" : "its folder is reached through a link now",
    );
  }
  const place = await workspace.locate(path, "restore");
  if (place.ok && place.path === path) return place;
  const rule = place.ok ? undefined : place.rule;
  throw fileRefused(
    rule === undefined ? "it is outside of the workspace" : `the rule "${rule}" keeps it`,
  );
}

/** Unlike for a reading model, size and content are no reason to refuse: what was written can be taken back. */
async function standingAt({
  path,
}: Place): Promise<{ readonly hash: string; readonly disk: DiskFacts } | undefined> {
  const file = await openForReading(path);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw fileRefused("it is no file any more");
    const hash = createHash("sha256");
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      hash.update(chunk as Buffer);
    }
    return { hash: hash.digest("hex"), disk: factsOf(stats) };
  } finally {
    await file.close();
  }
}
