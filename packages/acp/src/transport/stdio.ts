import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { Readable, Writable } from "node:stream";
import { type Arrival, arrivalOf, isRequest, tooLong } from "./arrival.ts";
import { LineReader } from "./line-reader.ts";

/** A prompt of 12 MiB that is refused still has to be read, so that the refusal can be given. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Unread output above which requests wait. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** What a host that does not read may send before it is cut off. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/**
 * One JSON object per line in each direction. A line that is no message is answered; it ends nothing. A host that stops reading
 * gets backpressure: whoever writes waits, and so do its further requests. Its input is taken in all the same, because the end of
 * the input is how a server learns that its host is gone. What is written after it still goes out to a host that reads.
 */
export function stdioStream(input: Readable, output: Writable): Stream {
  const wire = new StdioWire(input, output);
  return {
    readable: new ReadableStream<AnyMessage>({
      start: (controller) => wire.start(controller),
      cancel: () => wire.end(),
    }),
    writable: new WritableStream<AnyMessage>({ write: (message) => wire.write(message) }),
  };
}

class StdioWire {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines = new LineReader(MAX_LINE_BYTES, {
    line: (line, bytes) => this.#arrived(arrivalOf(line), bytes),
    tooLong: () => this.#arrived(tooLong(MAX_LINE_BYTES), 0),
  });
  #controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  #held: { readonly arrival: Arrival; readonly bytes: number }[] = [];
  #heldBytes = 0;
  #stuck: Promise<void> | undefined;
  #goOn: () => void = () => undefined;
  #inputEnded = false;
  #ended = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  start(controller: ReadableStreamDefaultController<AnyMessage>): void {
    this.#controller = controller;
    const input = this.#input;
    input.on("data", this.#onData);
    input.on("end", this.#onEnd).on("close", this.#onEnd).on("error", this.end);
    // Nobody reads any more: EPIPE, a full disk.
    this.#output.on("error", this.end).on("close", this.end);
    if (input.readableEnded || input.destroyed) setImmediate(this.#onEnd);
  }

  /** Resolves when more may be written. */
  async write(message: AnyMessage): Promise<void> {
    this.#put(message);
    await this.#stuck;
  }

  /** Nothing arrives any more, and nothing is written. */
  readonly end = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#held = [];
    // Whoever waits to write waits for a host that is gone.
    this.#goOn();
    this.#endInput();
  };

  #endInput(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    const input = this.#input;
    input.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd);
    input.pause();
    try {
      this.#controller?.close();
    } catch {
      // It was cancelled.
    }
  }

  #put(message: AnyMessage): void {
    const output = this.#output;
    if (this.#ended || output.destroyed || output.writableEnded) return;
    output.write(`${JSON.stringify(message)}\n`);
    if (output.writableLength <= MAX_UNREAD_BYTES) return;
    if (this.#inputEnded) this.end();
    if (this.#ended || this.#stuck !== undefined) return;
    this.#stuck = new Promise((resolve) => {
      const go = (): void => {
        output.off("drain", go).off("close", go).off("error", go);
        this.#stuck = undefined;
        resolve();
        this.#release();
      };
      this.#goOn = go;
      output.on("drain", go).on("close", go).on("error", go);
    });
  }

  #arrived(arrival: Arrival | undefined, bytes: number): void {
    if (arrival === undefined || this.#ended) return;
    const waits = "reply" in arrival || isRequest(arrival.message);
    // What a request waits for may be told by what comes behind it, so order is kept.
    if (this.#held.length === 0 && !(waits && this.#stuck !== undefined)) {
      this.#deliver(arrival);
      return;
    }
    this.#held.push({ arrival, bytes });
    this.#heldBytes += bytes;
    if (this.#heldBytes > MAX_HELD_BYTES) this.end();
  }

  /** One at a time, because each may bring output that the host does not read either. */
  #release(): void {
    const next = this.#stuck === undefined ? this.#held.shift() : undefined;
    if (next === undefined) return;
    this.#heldBytes -= next.bytes;
    this.#deliver(next.arrival);
    setImmediate(() => this.#release());
  }

  #deliver(arrival: Arrival): void {
    if ("reply" in arrival) this.#put(arrival.reply);
    else if (!this.#ended) this.#controller?.enqueue(arrival.message);
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#lines.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  };

  readonly #onEnd = (): void => {
    this.#lines.end();
    // Those who do not read wait for no answer.
    for (const { arrival } of this.#held.splice(0)) {
      if (this.#stuck === undefined) this.#deliver(arrival);
    }
    if (this.#stuck === undefined) this.#endInput();
    else this.end();
  };
}
