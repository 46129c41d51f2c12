import { createId, errnoOf } from "@acumen/core";
import { open, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Of all files of one result. */
const MAX_BYTES = 96 * 1024 * 1024;
const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "application/pdf": "pdf",
  "application/zip": "zip",
  "application/gzip": "gz",
  "application/json": "json",
  "text/plain": "txt",
};

export type SavedFile =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly fault: string };

/** Files for what a result holds and does not show. Nothing in their names is the server's. */
export class ResultFiles {
  readonly #folder: () => Promise<string>;
  readonly #name: string;
  #bytes = 0;

  constructor(options: { readonly folder: () => Promise<string>; readonly name: string }) {
    this.#folder = options.folder;
    this.#name = options.name;
  }

  /** Readable for the user alone. */
  async save(bytes: Uint8Array, mimeType: string): Promise<SavedFile> {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_BYTES) {
      return { ok: false, fault: `one result can be kept up to ${MAX_BYTES} bytes` };
    }
    try {
      const id = createId().slice(-6).toLowerCase();
      const ending = Object.hasOwn(ENDINGS, mimeType) ? (ENDINGS[mimeType] ?? "bin") : "bin";
      const path = join(await this.#folder(), `${this.#name}-${id}.${ending}`);
      await write(path, bytes);
      return { ok: true, path };
    } catch (cause) {
      const errno = errnoOf(cause) ?? "unknown error";
      return { ok: false, fault: errno === "ENOSPC" ? "the disk is full" : errno };
    }
  }
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}
