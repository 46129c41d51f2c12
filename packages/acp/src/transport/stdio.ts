import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { Readable, Writable } from "node:stream";

/** A prompt of 12 MiB that is refused still has to be read, so that the refusal can be given. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** One JSON object per line in each direction. */
export function stdioStream(input: Readable, output: Writable): Stream {
  return ndJsonStream(
    Writable.toWeb(output),
    Readable.toWeb(input) as unknown as ReadableStream<Uint8Array>,
    { maxMessageBytes: MAX_MESSAGE_BYTES },
  );
}
