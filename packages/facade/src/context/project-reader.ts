import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { SECRET_HEAD_BYTES, secretContentRule, type Workspace } from "@acumen/agent";
import type { DroppedFragment } from "../services/context-service.ts";
import { credentialsRule, isServiceAccount } from "./credential-files.ts";
import { isRecord } from "./skipped-folders.ts";
import type { TextCache } from "./text-cache.ts";

const MAX_FILE_BYTES = 256 * 1024;

export interface FileText {
  readonly ok: true;
  /** Relative to the project after every link, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface Refused {
  readonly ok: false;
  readonly reason: DroppedFragment["reason"];
  /** For whoever named the file: why, as the end of a sentence about it. */
  readonly why: string;
  readonly bytes?: number;
}

/** Share of characters that are no text, up to which a file is one in an older encoding. */
const MOST_BROKEN = 0.05;

/** Reads files of one project: inside of it after every link, regular, small, text, and no secrets. */
export class ProjectReader {
  readonly #workspace: Workspace;
  readonly #texts: TextCache | undefined;
  /** Whether a folder of the project is reached without a link. */
  readonly #plainFolders = new Map<string, Promise<boolean>>();

  /**
   * A reader is for one request: it looks only once whether a folder leads elsewhere.
   * @param texts what earlier readers of this kind have found
   */
  constructor(workspace: Workspace, texts?: TextCache) {
    this.#workspace = workspace;
    this.#texts = texts;
  }

  /** @param path relative to the project, or absolute within it */
  async read(path: string): Promise<FileText | Refused> {
    return (await this.#known(path)) ?? this.#fresh(path);
  }

  async #known(path: string): Promise<FileText | Refused | undefined> {
    const absolute = join(this.#workspace.cwd, path);
    if (this.#texts === undefined || !(await this.#isPlain(dirname(absolute)))) return undefined;
    const stats = await lstat(absolute, { bigint: true }).catch(() => undefined);
    return stats?.isFile() === true ? this.#texts.get(this.#key(absolute), stats) : undefined;
  }

  /** What one project may show, another that contains it may not, or the other way round. */
  #key(absolute: string): string {
    return `${this.#workspace.cwd}\0${absolute}`;
  }

  #isPlain(folder: string): Promise<boolean> {
    const known = this.#plainFolders.get(folder);
    if (known !== undefined) return known;
    const asked = realpath(folder).then(
      (real) => real === folder,
      () => false,
    );
    this.#plainFolders.set(folder, asked);
    return asked;
  }

  async #fresh(path: string): Promise<FileText | Refused> {
    const place = await this.#workspace.locate(path, "read");
    // The message names the path and the rule.
    if (!place.ok) return { ok: false, reason: "denied", why: place.message };
    const inside = relative(this.#workspace.cwd, place.path).split(sep).join("/");
    if (isRecord(inside)) return denied("belongs to the records of a program");
    const rule = credentialsRule(inside) ?? credentialsRule(path);
    if (rule !== undefined)
      return denied(`may not be read: it counts as a secret (rule "${rule}")`);
    try {
      const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
      await using handle = await open(place.path, flags);
      const now = this.#texts?.now() ?? 0;
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) return denied("is no regular file");
      await place.check(handle, place.path);
      const size = Number(stats.size);
      const found =
        size > MAX_FILE_BYTES ? tooLarge(size) : textOf(inside, await contentOf(handle, size));
      this.#texts?.keep(this.#key(place.path), stats, now, found);
      return found;
    } catch {
      return denied("cannot be read");
    }
  }
}

/** One byte more than a file may have, when it has grown meanwhile. */
async function contentOf(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size + 1);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return buffer.subarray(0, bytesRead);
}

function textOf(path: string, buffer: Buffer): FileText | Refused {
  const bytes = buffer.length;
  if (bytes > MAX_FILE_BYTES) return tooLarge(bytes);
  const binary = { ok: false, reason: "binary", why: "is no text", bytes } as const;
  if (buffer.includes(0)) return binary;
  const text = buffer.toString("utf8");
  const broken = text.includes("\uFFFD") ? text.split("\uFFFD").length - 1 : 0;
  if (broken > text.length * MOST_BROKEN) return binary;
  const head = text.slice(0, SECRET_HEAD_BYTES);
  if (secretContentRule(head) !== undefined || isServiceAccount(head)) {
    return denied("holds a private key");
  }
  return { ok: true, path, text };
}

function denied(why: string): Refused {
  return { ok: false, reason: "denied", why };
}

function tooLarge(bytes: number): Refused {
  const why = `has ${bytes} bytes; at most ${MAX_FILE_BYTES} are read`;
  return { ok: false, reason: "too_large", why, bytes };
}
