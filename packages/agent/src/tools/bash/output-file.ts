import { createId, errnoOf } from "@acumen/core";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

export interface WrittenOutput {
  readonly path: string;
  /** Less than was offered when the limit was reached or the disk was full. */
  readonly bytes: number;
  /** Why it is not whole. */
  readonly fault?: string;
}

/** A file that takes the whole output of a command up to a limit; made with the first write. */
export class OutputFile {
  readonly #folder: () => Promise<string>;
  readonly #name: string;
  readonly #limit: number;
  #path = "";
  #handle: FileHandle | undefined;
  #bytes = 0;
  #fault: string | undefined;
  #last: Promise<void> = Promise.resolve();

  /** @param limit bytes */
  constructor(options: { folder: () => Promise<string>; name: string; limit: number }) {
    this.#folder = options.folder;
    this.#name = options.name;
    this.#limit = options.limit;
  }

  /** Settles when the bytes are written or given up; never rejects. Undefined: nothing more is taken. */
  write(bytes: Buffer): Promise<void> | undefined {
    if (this.#fault !== undefined) return undefined;
    const taken = bytes.subarray(0, this.#limit - this.#bytes);
    this.#bytes += taken.length;
    if (taken.length < bytes.length) this.#fault = `the limit of ${this.#limit} bytes was reached`;
    this.#last = this.#last.then(() => this.#append(taken));
    return this.#last;
  }

  /** It takes no more. */
  get ended(): boolean {
    return this.#fault !== undefined;
  }

  /** Undefined: nothing was written. */
  async end(): Promise<WrittenOutput | undefined> {
    await this.#last;
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
    if (this.#path === "" && this.#fault === undefined) return undefined;
    return {
      path: this.#path,
      bytes: this.#bytes,
      ...(this.#fault !== undefined && { fault: this.#fault }),
    };
  }

  async #append(bytes: Buffer): Promise<void> {
    try {
      this.#handle ??= await this.#open();
      await this.#handle.writeFile(bytes);
    } catch (cause) {
      const errno = errnoOf(cause) ?? "unknown error";
      this.#fault = errno === "ENOSPC" ? "the disk is full" : `it could not be written (${errno})`;
    }
  }

  async #open(): Promise<FileHandle> {
    const path = join(
      await this.#folder(),
      `${this.#name}-${createId().slice(-6).toLowerCase()}.txt`,
    );
    const handle = await open(path, "wx", 0o600);
    this.#path = path;
    return handle;
  }
}
