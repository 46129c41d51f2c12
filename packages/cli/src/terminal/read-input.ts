import { untilAborted } from "@acumen/core";
import type { InputStream } from "../command-context.ts";

/**
 * Everything that is piped or typed in.
 * @returns undefined for more than `maxBytes`; nothing more is read then
 * @throws the signal's reason; the stream is closed then, because a pipe that nobody reads keeps the process alive
 */
export async function readInput(
  stdin: InputStream,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  try {
    return await untilAborted(collected(stdin, maxBytes), signal);
  } catch (error) {
    if (signal.aborted) stdin.destroy?.();
    throw error;
  }
}

async function collected(stdin: InputStream, maxBytes: number): Promise<Uint8Array | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin) {
    const chunk = typeof part === "string" ? Buffer.from(part) : part;
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    parts.push(chunk);
  }
  return Buffer.concat(parts, bytes);
}
