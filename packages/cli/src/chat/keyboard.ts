import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { InputStream } from "../command-context.ts";

type TerminalInput = InputStream & { setRawMode?(raw: boolean): unknown };

/** Who gets the keys at the moment. */
export interface KeyHolder {
  /** Up to and with one line end, or one control key alone. */
  keys(text: string): void;
  /** Nothing more will come. */
  end(): void;
}

const CTRL_C = "\u0003";
const CTRL_Z = "\u001A";
/** Ends behind each line end; control keys stand alone. */
const PIECES = new RegExp(
  `[${CTRL_C}${CTRL_Z}]|[^${CTRL_C}${CTRL_Z}\r\n]*(?:\r\n|\r|\n)|[^${CTRL_C}${CTRL_Z}\r\n]+`,
  "g",
);
const RESUME_MS = 50;
/** Terminals mark what is pasted, so that a pasted line end is no Enter. */
const PASTE_MARKS = { on: "\u001B[?2004h", off: "\u001B[?2004l" } as const;

export interface KeyboardOptions {
  readonly stdin: InputStream;
  /** Takes a control sequence for the terminal. */
  readonly control: (sequence: string) => void;
  /** The process was stopped by Ctrl-Z and goes on. */
  readonly onResumed: () => void;
}

/**
 * The keys of one terminal, which one holder after the other gets. What is typed while nobody holds them waits for the next
 * one who takes it, except Ctrl-C, which is told at once.
 */
export class Keyboard implements Disposable {
  readonly #options: KeyboardOptions;
  readonly #stdin: TerminalInput;
  readonly #decoder = new StringDecoder("utf8");
  #pieces: string[] = [];
  #pumping = false;
  #holder: KeyHolder | undefined;
  #onInterrupt: (() => void) | undefined;
  #ended = false;

  constructor(options: KeyboardOptions) {
    this.#options = options;
    this.#stdin = options.stdin;
    this.#raw(true);
    this.#stdin.on("data", this.#take);
    this.#stdin.on("end", this.#end);
    this.#stdin.on("error", this.#end);
    this.#stdin.resume();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Gives the keys to a holder until `use` is done, with what was typed before. */
  async held<T>(holder: KeyHolder, use: () => Promise<T>): Promise<T> {
    const before = this.#holder;
    this.#holder = holder;
    if (this.#ended) holder.end();
    void this.#pump();
    try {
      return await use();
    } finally {
      this.#holder = before;
    }
  }

  /**
   * Gives the keys to whoever reads a stream, such as a question. What was typed before the question stays for the next prompt,
   * because nobody answers what he has not seen; what is pasted does not answer it either.
   */
  async asStream<T>(use: (stream: PassThrough) => Promise<T>): Promise<T> {
    const stream = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const before = this.#pieces;
    this.#pieces = [];
    let pasting = false;
    const holder: KeyHolder = {
      keys: (text) => {
        if (text.includes("\u001B[200~")) pasting = true;
        if (!pasting) stream.write(text);
        if (text.includes("\u001B[201~")) pasting = false;
      },
      end: () => stream.write(CTRL_C),
    };
    try {
      return await this.held(holder, () => use(stream));
    } finally {
      this.#pieces = [...before, ...this.#pieces];
      stream.destroy();
    }
  }

  /** Who is told of Ctrl-C while nobody holds the keys. */
  async interruptible<T>(onInterrupt: () => void, work: () => Promise<T>): Promise<T> {
    this.#onInterrupt = onInterrupt;
    try {
      return await work();
    } finally {
      this.#onInterrupt = undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#stdin.off("data", this.#take);
    this.#stdin.off("end", this.#end);
    this.#stdin.off("error", this.#end);
    this.#raw(false);
    this.#stdin.pause();
  }

  readonly #take = (chunk: Buffer | string): void => {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    this.#pieces.push(...(text.match(PIECES) ?? []));
    void this.#pump();
  };

  readonly #end = (): void => {
    this.#ended = true;
    if (this.#holder === undefined) this.#onInterrupt?.();
    else this.#holder.end();
  };

  /** Piece by piece, because what one piece ends, such as a line, may hand the keys to somebody else. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#step()) {
        await new Promise((done) => {
          setImmediate(done);
        });
      }
    } finally {
      this.#pumping = false;
    }
  }

  /** False when the pieces that are left, if any, have to wait. */
  #step(): boolean {
    const stop = this.#pieces.indexOf(CTRL_Z);
    if (stop >= 0) {
      this.#pieces.splice(stop, 1);
      this.#suspend();
      return true;
    }
    if (this.#holder !== undefined) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) this.#holder.keys(piece);
      return piece !== undefined;
    }
    const interrupt = this.#pieces.indexOf(CTRL_C);
    if (interrupt < 0) return false;
    // As on every terminal, Ctrl-C forgets what was typed before it.
    this.#pieces.splice(0, interrupt + 1);
    this.#onInterrupt?.();
    return true;
  }

  /** As the terminal would do it. A process that nobody could wake up again is not stopped. */
  #suspend(): void {
    this.#raw(false);
    process.kill(0, "SIGTSTP");
    // While the process is stopped no time passes for it.
    setTimeout(() => {
      this.#raw(true);
      this.#options.onResumed();
    }, RESUME_MS).unref();
  }

  #raw(on: boolean): void {
    this.#stdin.setRawMode?.(on);
    this.#options.control(on ? PASTE_MARKS.on : PASTE_MARKS.off);
  }
}
