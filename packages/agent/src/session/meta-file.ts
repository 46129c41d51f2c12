import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, writeFileAtomic } from "@acumen/core";
import type { SessionMeta } from "./session-meta.ts";
import { type ParsedMeta, parseMeta } from "./stored-meta.ts";

const NAME = "meta.json";
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the metadata in the folder of a session. Never throws. Without the thread pool: for such a small file its detours take eight
 * times as long as the reading, and a list reads thousands.
 */
export function readMetaFile(folder: string, sessionId: string): ParsedMeta {
  let file: number | undefined;
  try {
    // Without blocking: what stands there may be a pipe.
    file = openSync(
      join(folder, NAME),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > MAX_BYTES) return unreadable("cannot be read");
    return parseMeta(readFileSync(file, "utf8"), sessionId);
  } catch (error) {
    return unreadable(errnoOf(error) === "ENOENT" ? "is missing" : "cannot be read");
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** @throws CORE_FILE_NOT_WRITABLE */
export async function writeMetaFile(folder: string, meta: SessionMeta): Promise<void> {
  await writeFileAtomic(join(folder, NAME), `${JSON.stringify(meta, null, 2)}\n`);
}

function unreadable(what: string): ParsedMeta {
  return { ok: false, newer: false, reason: `its metadata ${what}` };
}
