import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

export interface LogLines {
  /** Bytes up to and with the last line break. */
  readonly endedBytes: number;
  /** What stands behind it: a record without its end, or the torn piece of one. Empty after a clean end. */
  readonly tail: Buffer;
}

/** Reads a log from its beginning, line by line, whatever its size; blank lines are left out. */
export async function readLogLines(
  handle: FileHandle,
  onLine: (bytes: Buffer) => void,
): Promise<LogLines> {
  let position = 0;
  let endedBytes = 0;
  let pieces: Buffer[] = [];
  for (;;) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(CHUNK_BYTES),
      0,
      CHUNK_BYTES,
      position,
    );
    if (bytesRead === 0) return { endedBytes, tail: joined(pieces) };
    const chunk = buffer.subarray(0, bytesRead);
    let start = 0;
    for (
      let end = chunk.indexOf(NEWLINE);
      end >= 0;
      start = end + 1, end = chunk.indexOf(NEWLINE, start)
    ) {
      pieces.push(chunk.subarray(start, end));
      const line = joined(pieces);
      pieces = [];
      if (line.length > 0) onLine(line);
      endedBytes = position + end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
    position += bytesRead;
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
