import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { LineAssembler } from "./line-assembler.ts";

/** Longest line in bytes; a longer one is skipped. The SDK would end the connection without a word, by default at 10 MB. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Unread output above which no more requests are served. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
/** Requests of a client that does not read; it is cut off beyond. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;

/**
 * The SDK's stdio transport with room for long lines and patience with a client that stops reading: its requests wait
 * until it reads on, instead of their answers piling up. Its input is still taken in meanwhile, because the end of the
 * input is how a server learns that its client is gone.
 */
export class PatientStdioTransport extends StdioServerTransport {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #gate: PassThrough;
  readonly #lines = new LineAssembler(MAX_LINE_BYTES, () => {
    this.onerror?.(new Error(`A line of more than ${MAX_LINE_BYTES} bytes was skipped.`));
  });
  #stuck = false;

  constructor(input: Readable, output: Writable) {
    const gate = new PassThrough();
    super(gate, output, { maxBufferSize: 2 * MAX_LINE_BYTES });
    this.#input = input;
    this.#output = output;
    this.#gate = gate;
    // The SDK waits for each reply with listeners of its own; many replies waiting at once are no leak.
    output.setMaxListeners(0);
  }

  override async start(): Promise<void> {
    await super.start();
    const input = this.#input;
    if (input.readableEnded || input.destroyed) setImmediate(this.#onEnd);
    input.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onEnd);
    input.on("error", this.#onInputError);
  }

  override async close(): Promise<void> {
    const input = this.#input;
    input.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd);
    input.pause();
    await super.close();
  }

  override async send(...args: Parameters<StdioServerTransport["send"]>): Promise<void> {
    const sent = super.send(...args);
    if (!this.#stuck && this.#output.writableLength > MAX_UNREAD_BYTES) {
      this.#stuck = true;
      this.#gate.pause();
      this.#output.once("drain", () => {
        this.#stuck = false;
        this.#gate.resume();
      });
    }
    await sent;
  }

  readonly #onData = (chunk: Buffer): void => {
    const lines = this.#lines.push(chunk);
    if (lines !== undefined) this.#gate.write(lines);
    if (!this.#stuck) return;
    if (this.#gate.writableLength + this.#gate.readableLength <= MAX_BACKLOG_BYTES) return;
    this.onerror?.(new Error("The client sends without reading; the connection is closed."));
    void this.close();
  };

  readonly #onEnd = (): void => {
    if (this.#stuck) void this.close();
    else this.#gate.end();
  };

  readonly #onInputError = (error: Error): void => {
    this.onerror?.(error);
  };
}
