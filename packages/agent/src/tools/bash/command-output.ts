import { TerminalText } from "../../process/terminal-text.ts";
import type { RedactionStream, Redactor } from "../../redaction/redactor.ts";
import { HeadTail } from "../output-limit.ts";
import { OutputFile } from "./output-file.ts";

/** What a model sees of an output, in bytes. */
export const SHOWN_BYTES = 50 * 1024;
const FILE_BYTES = 64 * 1024 * 1024;
/** What goes out while it streams; the end of a longer output is shown when the command has ended. */
const STREAMED_CHARS = 256 * 1024;

export interface CommandOutputOptions {
  readonly redact: Redactor;
  readonly folder: () => Promise<string>;
  /** Of the file for the whole output, without its ending. */
  readonly name: string;
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface ShownOutput {
  readonly text: string;
  readonly truncated: boolean;
}

/** The output of one command while it streams: made readable, redacted, its whole kept in a file when it is long. */
export class CommandOutput {
  readonly #text = new TerminalText({ foldLines: true });
  readonly #redaction: RedactionStream;
  readonly #kept = new HeadTail(SHOWN_BYTES);
  readonly #file: OutputFile;
  readonly #onOutput: ((text: string) => void) | undefined;
  #streamed = 0;
  #filed = false;

  constructor({ redact, folder, name, onOutput }: CommandOutputOptions) {
    this.#redaction = redact.stream();
    this.#file = new OutputFile({ folder, name, limit: FILE_BYTES });
    this.#onOutput = onOutput;
  }

  /** The promise settles when the next piece may come. */
  push(chunk: Uint8Array): Promise<void> | undefined {
    return this.#take(this.#redaction.push(this.#text.push(chunk)));
  }

  async end(): Promise<ShownOutput> {
    await this.#take(this.#redaction.push(this.#text.end()) + this.#redaction.end());
    const written = await this.#file.end();
    const { unreadable } = this.#text;
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

function because(fault: string | undefined): string {
  return fault === undefined ? "" : ` (${fault})`;
}
