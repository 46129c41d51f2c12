import type { Stream } from "node:stream";

/** The last part of what a stream said. */
export interface TextTail {
  /** Empty when nothing was said. */
  lastLine(): string;
}

const KEPT_CHARS = 4_096;

/** Reads a stream to its end, so that its writer never blocks, and keeps only the end. */
export function keepTail(stream: Stream | null): TextTail {
  let text = "";
  stream?.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString("utf8")).slice(-KEPT_CHARS);
  });
  return { lastLine: () => text.trimEnd().split("\n").at(-1) ?? "" };
}
