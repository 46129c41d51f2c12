import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { errnoOf } from "@acumen/core";
import { readLogLines } from "./log-lines.ts";

export interface LogReader {
  line(bytes: Buffer): void;
  /** Bytes after the last line break, if any: true when they are a whole record, which is then kept; else they are cut off. */
  tail(bytes: Buffer): boolean;
}

/** A file of one record a line, to which this process alone appends. Calls must not overlap; they reject with system errors. */
export class LogFile {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #inode: number;
  /** Bytes of what was appended whole. */
  #size: number;
  /** A failed append may have left bytes behind `#size`. */
  #untidy = false;
  #synced = true;

  private constructor(path: string, handle: FileHandle, inode: number, size: number) {
    this.path = path;
    this.#handle = handle;
    this.#inode = inode;
    this.#size = size;
  }

  /** A new file of mode 0600. */
  static async create(path: string): Promise<LogFile> {
    const handle = await open(path, APPEND | constants.O_CREAT | constants.O_EXCL, 0o600);
    return new LogFile(path, handle, (await handle.stat()).ino, 0);
  }

  /** Reads an existing file and mends its end, so that the next record begins on a line of its own. */
  static async open(path: string, reader: LogReader): Promise<LogFile> {
    const handle = await open(path, APPEND);
    try {
      const { endedBytes, tail } = await readLogLines(handle, (bytes) => reader.line(bytes));
      const whole = tail.length > 0 && reader.tail(tail);
      const size = endedBytes + (whole ? tail.length : 0);
      const file = new LogFile(path, handle, (await handle.stat()).ino, size);
      if (whole) await file.append("\n");
      else if (tail.length > 0) await handle.truncate(size);
      return file;
    } catch (error) {
      await handle.close().catch(() => undefined);
      throw error;
    }
  }

  /** Whether the file still stands where it was opened: not deleted, moved or replaced. */
  async stillThere(): Promise<boolean> {
    try {
      return (await stat(this.path)).ino === this.#inode;
    } catch (error) {
      if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return false;
      throw error;
    }
  }

  /**
   * Appends text that ends with a line break, all of it or nothing.
   * @param options.durable true: on the disk when it resolves, not only with the system
   */
  async append(text: string, options: { readonly durable?: boolean } = {}): Promise<void> {
    const bytes = Buffer.from(text, "utf8");
    await this.#cutBack();
    this.#untidy = true;
    try {
      await writeWhole(this.#handle, bytes);
      this.#synced = false;
      if (options.durable === true) await this.#handle.datasync();
    } catch (error) {
      // When even this fails, the next append does it before anything else.
      await this.#cutBack().catch(() => undefined);
      throw error;
    }
    this.#untidy = false;
    this.#size += bytes.length;
    if (options.durable === true) this.#synced = true;
  }

  /** Makes durable what was appended, then closes. */
  async close(): Promise<void> {
    try {
      await this.#cutBack();
      if (!this.#synced) await this.#handle.datasync();
    } finally {
      await this.#handle.close();
    }
  }

  async #cutBack(): Promise<void> {
    if (!this.#untidy) return;
    await this.#handle.truncate(this.#size);
    this.#untidy = false;
  }
}

/** Without blocking: what stands there may be a pipe. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, null);
    written += bytesWritten;
  }
}
