import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { AcumenError, ensureFolder, readTextFile, writeFileAtomic } from "@acumen/core";
import { safeText } from "../terminal/printable.ts";

const FILE_NAME = "chat-history.jsonl";
const MAX_ENTRIES = 500;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Longer ones are remembered by this process alone. */
const MAX_CHARS = 2_000;

export interface ChatHistoryOptions {
  /** ACUMEN_HOME. */
  readonly home: string;
  /** No secret gets into the file. */
  readonly redact: (text: string) => string;
}

/** What was typed in chats of this person, newest first; one JSON string a line in the file. A file that cannot be used costs nothing else. */
export class ChatHistory {
  readonly #path: string;
  readonly #redact: (text: string) => string;
  #entries: string[];

  private constructor(options: ChatHistoryOptions, entries: string[]) {
    this.#path = join(options.home, FILE_NAME);
    this.#redact = options.redact;
    this.#entries = entries;
  }

  static async open(options: ChatHistoryOptions): Promise<ChatHistory> {
    const path = join(options.home, FILE_NAME);
    const lines = await linesOf(path);
    const entries = lines.flatMap(entryOf);
    const kept = entries.slice(-MAX_ENTRIES);
    if (entries.length > 2 * MAX_ENTRIES) {
      const text = kept.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      await writeFileAtomic(path, text, { mode: 0o600 }).catch(() => undefined);
    }
    return new ChatHistory(options, kept.toReversed());
  }

  get entries(): readonly string[] {
    return this.#entries;
  }

  /**
   * @param line as it stood at the prompt, with names of pastes
   * @param text with the pastes themselves, for later processes
   */
  async add(line: string, text: string): Promise<void> {
    if (line.trim() === "" || this.#entries[0] === line) return;
    this.#entries = [line, ...this.#entries.filter((entry) => entry !== line)].slice(
      0,
      MAX_ENTRIES,
    );
    if (text.length > MAX_CHARS) return;
    const record = `${JSON.stringify(this.#redact(text))}\n`;
    try {
      await ensureFolder(join(this.#path, ".."), { mode: 0o700 });
      await appendFile(this.#path, record, { mode: 0o600 });
    } catch {
      // A history that cannot be kept is no reason to stop a chat.
    }
  }
}

async function linesOf(path: string): Promise<string[]> {
  try {
    const text = await readTextFile(path, { maxBytes: MAX_FILE_BYTES });
    return text.split("\n");
  } catch (error) {
    if (AcumenError.isInstance(error)) return [];
    throw error;
  }
}

function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    // It is drawn as it is: nothing in it may drive the terminal.
    return typeof entry === "string" && entry !== "" ? [safeText(entry)] : [];
  } catch {
    return [];
  }
}
