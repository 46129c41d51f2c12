import { createHash } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "@acumen/core";

export interface FileImage {
  /** Below `.acumen`, with `/`. */
  readonly path: string;
  /** SHA-256, hex. */
  readonly sha256: string;
  /** Kept to show later what changed; absent for large files and for those that are no text. */
  readonly text?: string;
}

/** What stands in a workspace's `.acumen` folder at one moment. */
export interface FolderImage {
  /** SHA-256 (hex) over names and contents of all files. */
  readonly digest: string;
  /** Sorted by path. */
  readonly files: readonly FileImage[];
  /** Why the folder cannot be vouched for: links, devices, too much of it. Empty for one that can. */
  readonly problems: readonly string[];
  /** The very bytes that were hashed, of the file that was asked for. */
  readonly kept?: Uint8Array;
}

const FOLDER = ".acumen";
const MAX_FILES = 500;
const MAX_DEPTH = 8;
const MAX_BYTES = 4_000_000;
const MAX_TEXT_BYTES = 16_384;
const MAX_TEXTS_BYTES = 131_072;

/**
 * Reads `.acumen/**` of a workspace. Links are not followed but reported: what they lead to could change unseen. A missing folder
 * is an empty one.
 * @param keep below `.acumen`, with `/`: the file whose bytes are wanted
 */
export async function readFolderImage(cwd: string, keep?: string): Promise<FolderImage> {
  const reader = new FolderReader(cwd, keep);
  await reader.read();
  const files = reader.files.toSorted((a, b) => compare(a.path, b.path));
  return {
    digest: digestOf(files),
    files,
    problems: reader.problems,
    ...(reader.kept !== undefined && { kept: reader.kept }),
  };
}

/** {@link FolderImage.digest} of a folder that holds exactly these files, in any order. */
export function digestOf(files: readonly Pick<FileImage, "path" | "sha256">[]): string {
  const hash = createHash("sha256");
  for (const { path, sha256 } of files.toSorted((a, b) => compare(a.path, b.path))) {
    hash.update(`${JSON.stringify([path, sha256])}\n`);
  }
  return hash.digest("hex");
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

class FolderReader {
  readonly files: FileImage[] = [];
  readonly problems: string[] = [];
  kept: Uint8Array | undefined;
  readonly #root: string;
  readonly #keep: string | undefined;
  #bytes = 0;
  #textBytes = 0;

  constructor(cwd: string, keep: string | undefined) {
    this.#root = join(cwd, FOLDER);
    this.#keep = keep;
  }

  async read(): Promise<void> {
    try {
      const stats = await lstat(this.#root).catch((error: unknown) => {
        if (errnoOf(error) === "ENOENT") return undefined;
        throw error;
      });
      if (stats === undefined) return;
      if (stats.isDirectory()) await this.#folder("", 0);
      else this.problems.push(`${FOLDER} is a link or no folder.`);
    } catch (error) {
      this.problems.push(`${FOLDER} cannot be read (${errnoOf(error) ?? "unknown error"}).`);
    }
  }

  async #folder(path: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) {
      this.#refuse(path, `is nested deeper than ${MAX_DEPTH} folders`);
      return;
    }
    const entries = await readdir(join(this.#root, path), { withFileTypes: true });
    for (const entry of entries) {
      if (this.problems.length > 0) return;
      // One after the other: the limits hold for all of it together.
      await this.#entry(path === "" ? entry.name : `${path}/${entry.name}`, entry, depth);
    }
  }

  async #entry(path: string, entry: Dirent, depth: number): Promise<void> {
    if (entry.isDirectory()) await this.#folder(path, depth + 1);
    else if (entry.isFile()) await this.#file(path);
    else this.#refuse(path, "is a link or no regular file");
  }

  async #file(path: string): Promise<void> {
    if (this.files.length >= MAX_FILES) {
      this.#refuse(path, `is one file more than the ${MAX_FILES} that are looked at`);
      return;
    }
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(join(this.#root, path), flags);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) this.#refuse(path, "is no regular file");
      else if (this.#bytes + stats.size > MAX_BYTES) {
        this.#refuse(path, `makes it larger than ${MAX_BYTES} bytes`);
      } else this.#add(path, await handle.readFile());
    } finally {
      await handle.close();
    }
  }

  #add(path: string, bytes: Uint8Array): void {
    this.#bytes += bytes.byteLength;
    if (path === this.#keep) this.kept = bytes;
    const text = this.#textOf(bytes);
    this.files.push({
      path,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      ...(text !== undefined && { text }),
    });
  }

  #textOf(bytes: Uint8Array): string | undefined {
    const size = bytes.byteLength;
    if (size > MAX_TEXT_BYTES || this.#textBytes + size > MAX_TEXTS_BYTES) return undefined;
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      if (text.includes("\0")) return undefined;
      this.#textBytes += size;
      return text;
    } catch {
      return undefined;
    }
  }

  #refuse(path: string, reason: string): void {
    this.problems.push(`${FOLDER}/${path} ${reason}.`);
  }
}
