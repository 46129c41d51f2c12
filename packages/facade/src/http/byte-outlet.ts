const BUFFER_BYTES = 64 * 1024;

export interface ByteOutletOptions {
  /** A reader that takes nothing for so long is dropped. */
  readonly stallMs: number;
  /** The reader went away or was dropped. */
  readonly gone: () => void;
  readonly drop: () => void;
}

/** Text for a reader that may be slow: a write waits until there is room, and room is bounded. */
export class ByteOutlet {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #options: ByteOutletOptions;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isGone = false;
  #wake: () => void = () => undefined;

  constructor(options: ByteOutletOptions) {
    this.#options = options;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#wake(),
        cancel: () => this.#leave(),
      },
      { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Resolves when the text is on its way. @throws Error when the reader is gone, or took nothing for too long */
  async write(text: string): Promise<void> {
    if (!this.#hasRoom()) await this.#room();
    if (this.#isGone) throw new Error("The reader of the stream is gone.");
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  /** For what nobody misses. */
  writeIfRoom(text: string): void {
    if (!this.#isGone && this.#hasRoom()) this.#controller?.enqueue(this.#encoder.encode(text));
  }

  close(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#controller?.close();
  }

  #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  async #room(): Promise<void> {
    const { stallMs, drop } = this.#options;
    const stalled = setTimeout(() => {
      this.#leave();
      drop();
    }, stallMs).unref();
    while (!this.#isGone && !this.#hasRoom()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    clearTimeout(stalled);
  }

  #leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#options.gone();
    this.#wake();
  }
}
