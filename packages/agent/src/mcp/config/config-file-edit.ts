import { constants, type Stats } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { type AcumenError, errnoOf, writeFileAtomic } from "@acumen/core";
import { agentError } from "../../errors.ts";
import {
  type ConfigFault,
  MAX_CONFIG_BYTES,
  NOT_UTF8,
  parseConfig,
  withoutMark,
} from "./config-document.ts";

/** A configuration file while nobody else may change it. */
export interface EditableConfig {
  /** Without a byte order mark; `{}` for a file that is not there or empty. Parsed without a fault. */
  readonly text: string;
  /**
   * Replaces the file in one step; it keeps its mode, a new one gets 0600. Undefined when nothing is different.
   * @param options.closed nobody else may read it afterwards: it gets 0600 where group or others may do anything with it
   * @returns what was written
   * @throws CORE_FILE_NOT_WRITABLE
   */
  write(next: string, options?: { readonly closed?: boolean }): Promise<Uint8Array | undefined>;
  /** Group or others may do something with it. */
  readonly open: boolean;
}

const MODE_BITS = 0o777;
const OTHERS_BITS = 0o077;
const NEW_MODE = 0o600;
const NEW_TEXT = "{}\n";

/**
 * For whoever holds the lock.
 * @throws AGENT_MCP_CONFIG_INVALID with line and column, also for a link or a folder in its place
 */
export async function openConfigFile(path: string): Promise<EditableConfig> {
  const { text: stored, mode } = await storedText(path);
  const document = parseConfig(path, stored);
  if (!document.ok) throw invalidConfig(path, document.fault);
  const body = withoutMark(stored);
  const mark = stored.slice(0, stored.length - body.length);
  const text = body.trim() === "" ? NEW_TEXT : body;
  const isOpen = (mode & OTHERS_BITS) !== 0;
  return {
    text,
    open: isOpen,
    write: async (next, { closed = false } = {}) => {
      const nextMode = closed && isOpen ? NEW_MODE : mode;
      if (next === text && nextMode === mode) return undefined;
      const after = parseConfig(path, next);
      // Whatever an edit made of a file that somebody wrote by hand: nothing is written that is not read again.
      if (!after.ok) throw invalidConfig(path, after.fault);
      const bytes = Buffer.from(mark + next, "utf8");
      await writeFileAtomic(path, bytes, {
        mode: nextMode,
        check: (handle) => handle.chmod(nextMode),
      });
      return bytes;
    },
  };
}

/** The error for a file that is left as it is. */
export function invalidConfig(path: string, { message, place }: ConfigFault): AcumenError {
  return agentError("AGENT_MCP_CONFIG_INVALID", `Nothing was changed. ${message}`, {
    details: { path, ...place },
  });
}

async function storedText(path: string): Promise<{ readonly text: string; readonly mode: number }> {
  let stats: Stats;
  try {
    stats = await lstat(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return { text: "", mode: NEW_MODE };
    throw unusable(path, `cannot be read (${errnoOf(error) ?? "unknown error"})`);
  }
  if (stats.isSymbolicLink()) {
    throw unusable(
      path,
      "is a link, and only a file of its own is changed; change what it leads to",
    );
  }
  if (!stats.isFile()) throw unusable(path, "is no regular file; move it away");
  if (stats.size > MAX_CONFIG_BYTES) throw unusable(path, `is over ${MAX_CONFIG_BYTES} bytes`);
  const bytes = await readOwnFile(path);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return { text, mode: stats.mode & MODE_BITS };
  } catch {
    // The same as for one that holds what no text holds.
  }
  throw unusable(path, NOT_UTF8);
}

async function readOwnFile(path: string): Promise<Uint8Array> {
  try {
    const handle = await open(
      path,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unusable(path, `cannot be read (${errnoOf(error) ?? "unknown error"})`);
  }
}

function unusable(path: string, reason: string): AcumenError {
  return invalidConfig(path, { message: `${path} ${reason}.` });
}
