import { throwIfAborted } from "@acumen/core";
import type { FileHandle } from "node:fs/promises";
import { fileRefused } from "../../workspace/file-refused.ts";
import { decodeFile, storageNotes, type TextEncoding } from "../../workspace/file-text.ts";
import { openForReading } from "../../workspace/open-handle.ts";
import { SECRET_HEAD_BYTES } from "../../workspace/path-policy.ts";
import { refuseIrregular, refuseSecret } from "../../workspace/read-file.ts";
import type { Place } from "../../workspace/workspace.ts";
import { type LineRange, LineWindow, MAX_BYTES } from "./line-window.ts";

const CHUNK = 256 * 1_024;
const LF = 0x0a;
const CR = 0x0d;
/** So much of a line is kept that cutting it to the limit sees whole characters. Bytes. */
const KEPT = MAX_BYTES + 64;

/**
 * Reads the lines of a range from a file that is too large to be held, and no further than needed.
 * @throws FileRefused; the abort's error
 */
export async function readHugeRange(
  place: Place,
  range: LineRange,
  signal: AbortSignal,
): Promise<{ readonly window: LineWindow; readonly notes: readonly string[] }> {
  const handle = await openForReading(place.path);
  if (handle === undefined) throw fileRefused(`There is no file ${place.shown}.`);
  try {
    const stats = await handle.stat({ bigint: true });
    refuseIrregular(place, stats, false);
    const head = await headOf(handle);
    refuseSecret(place, head);
    const file = decodeFile(head, { partial: true });
    if (file.type !== "text" || file.encoding.startsWith("utf-16")) {
      const what =
        file.type === "text" ? file.encoding : file.type === "image" ? file.mimeType : file.what;
      throw fileRefused(
        `${place.shown} is ${what} of ${stats.size} bytes; of files that large only UTF-8 and latin-1 text can be shown.`,
      );
    }
    const scanner = new LineScanner(new LineWindow(range), file.encoding);
    await scan(handle, scanner, file.bom ? 3 : 0, signal);
    const ending = scanner.sawCrlf ? (scanner.sawLf ? "mixed" : "crlf") : "lf";
    return { window: scanner.window, notes: storageNotes(file, ending) };
  } finally {
    await handle.close();
  }
}

async function headOf(handle: FileHandle): Promise<Uint8Array> {
  const { bytesRead, buffer } = await handle.read({
    buffer: Buffer.alloc(SECRET_HEAD_BYTES),
    position: 0,
  });
  return buffer.subarray(0, bytesRead);
}

async function scan(
  handle: FileHandle,
  scanner: LineScanner,
  start: number,
  signal: AbortSignal,
): Promise<void> {
  const buffer = Buffer.alloc(CHUNK);
  for (let position = start; ;) {
    throwIfAborted(signal);
    const { bytesRead } = await handle.read({ buffer, position });
    if (bytesRead === 0) break;
    position += bytesRead;
    if (!scanner.feed(buffer.subarray(0, bytesRead))) return;
  }
  scanner.end();
}

/** Cuts bytes into lines and keeps of each no more than can be shown. */
class LineScanner {
  readonly window: LineWindow;
  sawCrlf = false;
  sawLf = false;
  readonly #encoding: BufferEncoding;
  #number = 1;
  #parts: Buffer[] = [];
  #kept = 0;
  #length = 0;
  #lastByte = 0;

  constructor(window: LineWindow, encoding: TextEncoding) {
    this.window = window;
    this.#encoding = encoding === "latin-1" ? "latin1" : "utf8";
  }

  /** False: nothing more is wanted. */
  feed(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(LF, at);
      this.#keep(chunk.subarray(at, end === -1 ? chunk.length : end));
      if (end === -1) return true;
      this.#finish(true);
      if (!this.window.open) return false;
      at = end + 1;
    }
    return true;
  }

  end(): void {
    if (this.#length > 0) this.#finish(false);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#length += bytes.length;
    this.#lastByte = bytes.at(-1) ?? 0;
    if (!this.window.wants(this.#number) || this.#kept >= KEPT) return;
    // Copied: the chunk is filled anew.
    const part = Buffer.from(bytes.subarray(0, KEPT - this.#kept));
    this.#parts.push(part);
    this.#kept += part.length;
  }

  #finish(ended: boolean): void {
    const crlf = ended && this.#lastByte === CR && this.#length > 0;
    if (this.window.wants(this.#number)) {
      if (ended && crlf) this.sawCrlf = true;
      else if (ended) this.sawLf = true;
      this.#take(crlf, ended);
    }
    this.#number += 1;
    this.#parts = [];
    this.#kept = 0;
    this.#length = 0;
    this.#lastByte = 0;
  }

  #take(crlf: boolean, ended: boolean): void {
    const whole = this.#kept === this.#length;
    const bytes = Buffer.concat(this.#parts);
    const text = (crlf && whole ? bytes.subarray(0, -1) : bytes).toString(this.#encoding);
    this.window.take(this.#number, text, whole ? text.length : this.#length, ended);
  }
}
