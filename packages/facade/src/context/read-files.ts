import { throwIfAborted } from "@acumen/core";
import { ValidationError } from "../errors/domain-error.ts";
import type { DroppedFragment } from "../services/context-service.ts";
import { fileUri } from "./file-uri.ts";
import type { FileText, ProjectReader, Refused } from "./project-reader.ts";
import { countTerms, type TermCounts } from "./score-files.ts";
import { tokensOfBytes } from "./token-count.ts";
import { wellFormed } from "./well-formed.ts";

const MAX_PROJECT_BYTES = 10 * 1024 * 1024;
/** Read at once. */
const PARALLEL = 32;

export interface ReadFile {
  readonly path: string;
  readonly text: string;
  readonly counts: TermCounts;
}

/** Reads files in this order until they are 10 MiB together, and says of the others why they are left out. @throws the abort's error */
export async function readFiles(
  reader: ProjectReader,
  paths: readonly string[],
  terms: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly files: readonly ReadFile[]; readonly dropped: readonly DroppedFragment[] }> {
  const files: ReadFile[] = [];
  const dropped: DroppedFragment[] = [];
  const wanted = new Set(paths);
  let room = MAX_PROJECT_BYTES;
  for (let at = 0; at < paths.length; at += PARALLEL) {
    throwIfAborted(signal);
    const some = paths.slice(at, at + PARALLEL);
    const results = await Promise.all(
      some.map(async (path) => (room > 0 ? readListed(reader, path, wanted) : NO_ROOM)),
    );
    for (const [index, path] of some.entries()) {
      const result = results[index] ?? NO_ROOM;
      const bytes = result.ok ? Buffer.byteLength(result.text) : 0;
      // Whatever does not fit ends it: which files are read must not depend on what comes after.
      if (bytes > room) room = 0;
      if (!result.ok || bytes > room) dropped.push(leftOut(path, result));
      else if (bytes > 0) {
        room -= bytes;
        files.push({ path, text: result.text, counts: countTerms(result.text, terms) });
      }
    }
  }
  return { files, dropped };
}

const NO_ROOM: Refused = { ok: false, reason: "too_large", why: "is more than is read" };

/** What a link leads to counts by itself, or has a reason not to. */
async function readListed(
  reader: ProjectReader,
  path: string,
  wanted: ReadonlySet<string>,
): Promise<FileText | Refused> {
  const result = await reader.read(path);
  if (!result.ok || result.path === path) return result;
  const reason = wanted.has(result.path) ? "duplicate" : "excluded";
  return { ok: false, reason, why: "is a link" };
}

function leftOut(path: string, result: FileText | Refused): DroppedFragment {
  const { reason, bytes } = result.ok ? NO_ROOM : result;
  return { uri: fileUri(path), reason, tokens: bytes === undefined ? null : tokensOfBytes(bytes) };
}

/**
 * Each once, whole.
 * @param whyOut says of a path, after every link, why no context has it
 * @throws ValidationError for one that cannot be read, or may not be
 */
export async function pinnedFiles(
  reader: ProjectReader,
  pinned: readonly string[],
  whyOut: (path: string) => string | undefined,
): Promise<readonly FileText[]> {
  const files = await Promise.all(pinned.map((path) => reader.read(path)));
  const found = new Map<string, FileText>();
  for (const [index, file] of files.entries()) {
    const path = JSON.stringify(wellFormed(pinned[index] ?? ""));
    const why = file.ok ? whyOut(file.path) : file.why;
    if (why !== undefined) {
      throw new ValidationError(`${path} cannot be pinned: ${why}`, [
        { path: ["pinned", index], message: why },
      ]);
    }
    if (file.ok) found.set(file.path, file);
  }
  return [...found.values()];
}
