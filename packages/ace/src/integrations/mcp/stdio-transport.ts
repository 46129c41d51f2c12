import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Readable, Writable } from "node:stream";

/** Longest line in bytes. The SDK's default of 10 MB ends the connection without a word on a legal call. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Unread output above which no more requests are taken in. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/**
 * The SDK's stdio transport with room for long lines, an end that can be awaited, and patience with a client that stops
 * reading: its requests wait in its own pipe instead of our memory.
 */
export class PatientStdioTransport extends StdioServerTransport {
  readonly #input: Readable;
  readonly #output: Writable;
  #paused = false;

  constructor(input: Readable, output: Writable) {
    super(input, output, { maxBufferSize: MAX_LINE_BYTES });
    this.#input = input;
    this.#output = output;
    // The SDK waits for each reply with listeners of its own; many replies waiting at once are no leak.
    output.setMaxListeners(0);
  }

  override async send(...args: Parameters<StdioServerTransport["send"]>): Promise<void> {
    const sent = super.send(...args);
    if (!this.#paused && this.#output.writableLength > MAX_UNREAD_BYTES) {
      this.#paused = true;
      this.#input.pause();
      this.#output.once("drain", () => {
        this.#paused = false;
        this.#input.resume();
      });
    }
    await sent;
  }
}
