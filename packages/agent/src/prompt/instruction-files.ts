import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import { findGitRoot } from "./git-root.ts";
import { isBelow, opensBelow } from "./inside-root.ts";

/** Bytes of one file, and of all of them. */
export const INSTRUCTION_LIMITS = { file: 32 * 1024, total: 64 * 1024 } as const;

/** In this order: the first that a folder has is its instructions. */
const NAMES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"] as const;

export interface InstructionFile {
  /** Relative to the root of the chain, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** A file that was left out, or only partly taken. */
export interface InstructionProblem {
  readonly path: string;
  readonly reason: string;
}

export interface Instructions {
  /** From the root down to the working directory: the nearest stands last. */
  readonly files: readonly InstructionFile[];
  readonly problems: readonly InstructionProblem[];
}

interface Candidate {
  readonly path: string;
  readonly shown: string;
}

interface ReadBytes {
  readonly bytes: Buffer;
  readonly size: number;
}

/**
 * Instructions that a repository gives to coding agents: `AGENTS.md` (`CLAUDE.md`, else `GEMINI.md`, in a folder without one) of each
 * folder from the git root down to the working directory; outside a repository of the working directory alone. Only regular files inside
 * the root count; a link must lead to a Markdown file there. Where the files exceed the limit together, the nearest ones stay whole.
 * Never fails: what cannot be read is among the problems.
 * @param cwd absolute real path
 */
export async function readInstructions(cwd: string): Promise<Instructions> {
  const root = (await findGitRoot(cwd)) ?? cwd;
  const problems: InstructionProblem[] = [];
  const read: (Candidate & ReadBytes)[] = [];
  for (const folder of foldersBetween(root, cwd)) {
    const candidate = await candidateIn(folder, root);
    if (candidate === undefined) continue;
    const result = await readInside(candidate.path, root);
    if (typeof result === "string") problems.push({ path: candidate.shown, reason: result });
    else read.push({ ...candidate, ...result });
  }
  const files: InstructionFile[] = [];
  let left: number = INSTRUCTION_LIMITS.total;
  for (const { shown, bytes, size } of read.toReversed()) {
    const taken = Math.min(bytes.byteLength, INSTRUCTION_LIMITS.file, left);
    left -= taken;
    if (taken < size) {
      problems.push({ path: shown, reason: `cut to ${taken} of ${size} bytes` });
    }
    files.unshift({ path: shown, text: textOf(bytes.subarray(0, taken), taken, size) });
  }
  return { files, problems };
}

function foldersBetween(root: string, cwd: string): string[] {
  const folders = [cwd];
  for (let folder = cwd; folder !== root;) {
    folder = dirname(folder);
    folders.unshift(folder);
  }
  return folders;
}

async function candidateIn(folder: string, root: string): Promise<Candidate | undefined> {
  for (const name of NAMES) {
    const path = join(folder, name);
    const exists = await lstat(path).then(
      () => true,
      () => false,
    );
    if (exists) return { path, shown: relative(root, path).split(sep).join("/") };
  }
  return undefined;
}

/** The first bytes of a file, or why it is left out. */
async function readInside(path: string, root: string): Promise<ReadBytes | string> {
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(path);
    if (!isBelow(real, root)) return "leads out of the repository";
    if (basename(real) !== basename(path) && extname(real).toLowerCase() !== ".md") {
      return "leads to a file that is no Markdown";
    }
    handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = await handle.stat();
    if (!stats.isFile()) return "is no regular file";
    if (!(await opensBelow(handle, real, root))) return "leads out of the repository";
    const bytes = Buffer.alloc(Math.min(stats.size, INSTRUCTION_LIMITS.file));
    const { bytesRead } = await handle.read(bytes, 0, bytes.byteLength, 0);
    return { bytes: bytes.subarray(0, bytesRead), size: stats.size };
  } catch {
    return "cannot be read";
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

function textOf(bytes: Uint8Array, taken: number, size: number): string {
  // `stream` holds back half a character at the cut.
  const text = new TextDecoder("utf-8").decode(bytes, { stream: taken < size });
  if (taken === size) return text.trimEnd();
  return `${text.trimEnd()}\n[cut: the first ${taken} of ${size} bytes]`.trimStart();
}
