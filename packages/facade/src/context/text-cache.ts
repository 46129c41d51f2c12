import type { BigIntStats } from "node:fs";
import type { FileText, Refused } from "./project-reader.ts";

/** Together, of all projects; one project's files are at most 10 MiB. */
const MOST_CHARS = 24 * 1024 * 1024;
const MOST_ENTRIES = 50_000;
/** What a name and a stamp take besides. */
const ENTRY_CHARS = 200;
/** A change that follows so soon upon a look could leave every time of the file as it is: clocks of file systems are coarse. */
const SETTLED_MS = 2_000;

type Found = FileText | Refused;

interface Entry {
  readonly stamp: string;
  readonly found: Found;
}

export interface TextCacheOptions {
  readonly chars?: number;
  readonly entries?: number;
  /** By the clock of the file systems, ms since 1970. */
  readonly now?: () => number;
}

/** What files held when they were read, as long as the file system says that they are the same. Whatever was asked for least lately goes first. */
export class TextCache {
  /** Asked before a file is opened, so that `keep` can tell how fresh a change is. */
  readonly now: () => number;
  readonly #chars: number;
  readonly #entries: number;
  readonly #known = new Map<string, Entry>();
  #size = 0;

  constructor(options: TextCacheOptions = {}) {
    const { chars = MOST_CHARS, entries = MOST_ENTRIES, now = Date.now } = options;
    this.now = now;
    this.#chars = chars;
    this.#entries = entries;
  }

  /** Characters that are kept, with what each entry takes. */
  get size(): number {
    return this.#size;
  }

  /** Undefined: it is not known, or it is another file now, or it was changed. */
  get(key: string, stats: BigIntStats): Found | undefined {
    const entry = this.#known.get(key);
    if (entry?.stamp !== stampOf(stats)) return undefined;
    this.#known.delete(key);
    this.#known.set(key, entry);
    return entry.found;
  }

  /** @param stats of the open file, from before it was read; @param now from before that too */
  keep(key: string, stats: BigIntStats, now: number, found: Found): void {
    this.#drop(key);
    if (Number(stats.ctimeMs) > now - SETTLED_MS || sizeOf(found) > this.#chars) return;
    this.#known.set(key, { stamp: stampOf(stats), found });
    this.#size += sizeOf(found);
    for (const oldest of this.#known.keys()) {
      if (this.#size <= this.#chars && this.#known.size <= this.#entries) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#known.get(key);
    if (entry === undefined) return;
    this.#size -= sizeOf(entry.found);
    this.#known.delete(key);
  }
}

function sizeOf(found: Found): number {
  return ENTRY_CHARS + (found.ok ? found.text.length : 0);
}

/** The time of the last change of any kind cannot be set by anybody who writes the file. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}
