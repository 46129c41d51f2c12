import { TerminalText } from "../../process/terminal-text.ts";
import type { RedactionStream, Redactor } from "../../redaction/redactor.ts";
import { HeadTail } from "../output-limit.ts";
import { LastBytes } from "./last-bytes.ts";
import { OutputFile } from "./output-file.ts";

/** What a model sees of an output, in bytes. */
export const SHOWN_BYTES = 50 * 1024;
const FILE_BYTES = 64 * 1024 * 1024;
/** Of what comes when the file is full, so much is read at the end, and the beginning of it, where something hidden may be cut, is not shown. */
const REST_BYTES = 256 * 1024;
const UNSHOWN_BYTES = 64 * 1024;
/** What goes out while it streams; the end of a longer output is shown when the command has ended. */
const STREAMED_CHARS = 256 * 1024;

export interface CommandOutputOptions {
  readonly redact: Redactor;
  readonly folder: () => Promise<string>;
  /** Of the file for the whole output, without its ending. */
  readonly name: string;
  readonly onOutput?: ((text: string) => void) | undefined;
  /** Limit of that file in bytes, for tests. Default 64 MiB. */
  readonly fileBytes?: number;
}

export interface ShownOutput {
  readonly text: string;
  readonly truncated: boolean;
}

/** The output of one command while it streams: made readable, redacted, its whole kept in a file when it is long. */
export class CommandOutput {
  readonly #redact: Redactor;
  #text = new TerminalText({ foldLines: true });
  #redaction: RedactionStream;
  #unreadable = 0;
  /** What comes when the file takes no more. */
  #rest: LastBytes | undefined;
  readonly #kept = new HeadTail(SHOWN_BYTES);
  readonly #file: OutputFile;
  readonly #onOutput: ((text: string) => void) | undefined;
  #streamed = 0;
  #filed = false;

  constructor({ redact, folder, name, onOutput, fileBytes = FILE_BYTES }: CommandOutputOptions) {
    this.#redact = redact;
    this.#redaction = redact.stream();
    this.#file = new OutputFile({ folder, name, limit: fileBytes });
    this.#onOutput = onOutput;
  }

  /** The promise settles when the next piece may come. */
  push(chunk: Uint8Array): Promise<void> | undefined {
    if (!this.#file.ended) return this.#take(this.#redaction.push(this.#text.push(chunk)));
    // Nobody will see most of it, and to read it would hold the command up.
    this.#rest ??= new LastBytes(REST_BYTES);
    this.#rest.push(chunk);
    return undefined;
  }

  async end(): Promise<ShownOutput> {
    await this.#take(this.#last());
    const written = await this.#file.end();
    const unreadable = this.#unreadable + this.#text.unreadable;
    const binary =
      unreadable === 0 ? "" : `\n[${unreadable} characters that are no text are shown as \ufffd]`;
    const text = this.#kept.text((leftOut) => {
      if (written === undefined || written.path === "")
        return `[${leftOut} bytes left out; the whole output could not be kept${because(written?.fault)}]`;
      const which =
        written.fault === undefined ? "the whole output" : `its first ${written.bytes} bytes`;
      return `[${leftOut} bytes left out here; ${which} of ${this.#kept.total} bytes: ${written.path}${because(written.fault)}; look at parts of it with grep, head, tail or sed -n in bash]`;
    });
    return { text: `${text}${binary}`, truncated: this.#kept.cut };
  }

  /** What was not taken yet. */
  #last(): string {
    const rest = this.#rest;
    if (rest !== undefined && rest.leftOut > 0) return this.#lastOf(rest);
    return this.#ended(rest?.bytes());
  }

  #ended(bytes: Uint8Array = Buffer.alloc(0)): string {
    const text = this.#text.push(bytes) + this.#text.end();
    return this.#redaction.push(text) + this.#redaction.end();
  }

  #lastOf(rest: LastBytes): string {
    this.#unreadable = this.#text.unreadable;
    const leftOut = rest.leftOut + Buffer.byteLength(this.#ended());
    this.#text = new TerminalText({ foldLines: true });
    this.#redaction = this.#redact.stream();
    const bytes = fromCharacter(rest.bytes());
    const unshown = this.#redaction.push(this.#text.push(bytes.subarray(0, UNSHOWN_BYTES)));
    this.#kept.skip(leftOut + Buffer.byteLength(unshown));
    return this.#ended(bytes.subarray(UNSHOWN_BYTES));
  }

  #take(text: string): Promise<void> | undefined {
    if (text === "") return undefined;
    this.#stream(text);
    const bytes = Buffer.from(text, "utf8");
    if (!this.#filed && this.#kept.total + bytes.length > SHOWN_BYTES) {
      this.#filed = true;
      void this.#file.write(this.#kept.bytes());
    }
    this.#kept.push(bytes);
    return this.#filed ? this.#file.write(bytes) : undefined;
  }

  #stream(text: string): void {
    if (this.#onOutput === undefined || this.#streamed >= STREAMED_CHARS) return;
    const part = text.slice(0, STREAMED_CHARS - this.#streamed);
    this.#streamed += part.length;
    this.#onOutput(
      part.length === text.length
        ? part
        : `${part}\n[more output follows when the command has ended]\n`,
    );
  }
}

/** From where the first whole character of UTF-8 begins. */
function fromCharacter(bytes: Buffer): Buffer {
  const first = bytes.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.subarray(first === -1 ? 3 : first);
}

function because(fault: string | undefined): string {
  return fault === undefined ? "" : ` (${fault})`;
}
