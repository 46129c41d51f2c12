import { parseEvent, type SessionEvent } from "../events/session-event.ts";
import type { SkippedRecord } from "./session-store.ts";

/** Turns the lines of a session's log into events; what cannot be read is skipped and reported. Never throws. */
export class LogRecords {
  readonly events: SessionEvent[] = [];
  readonly skipped: SkippedRecord[] = [];
  readonly #sessionId: string;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #lines = 0;
  /** Highest seq that was read, also of a record that is odd otherwise. */
  #highest = 0;
  /** Lines since then whose seq is not known. */
  #unknown = 0;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Highest seq that may be taken: lines that cannot be read count as one each. */
  get lastSeq(): number {
    return this.#highest + this.#unknown;
  }

  line(bytes: Uint8Array): void {
    this.#add(this.#parse(bytes));
  }

  /** Bytes without a line break at their end: true when they are a whole record. */
  tail(bytes: Uint8Array): boolean {
    const record = this.#parse(bytes);
    if (typeof this.#read(record) === "string") {
      this.#skip("the record is cut off");
      return false;
    }
    this.#add(record);
    return true;
  }

  #add(record: unknown): void {
    const read = this.#read(record);
    const seq = seqOf(record);
    if (seq === undefined) this.#unknown += 1;
    else if (seq > this.#highest && seq - this.#highest <= WIDEST_GAP) {
      this.#highest = seq;
      this.#unknown = 0;
    }
    if (typeof read === "string") {
      this.#skip(read);
      return;
    }
    this.#lines += 1;
    this.events.push(read);
  }

  #skip(reason: string): void {
    this.#lines += 1;
    this.skipped.push({ line: this.#lines, reason });
  }

  #parse(bytes: Uint8Array): unknown {
    try {
      return JSON.parse(this.#decoder.decode(bytes)) as unknown;
    } catch {
      return undefined;
    }
  }

  /** The event, or why it is none. */
  #read(record: unknown): SessionEvent | string {
    if (record === undefined) return "not JSON";
    const parsed = parseEvent(record);
    if (!parsed.ok) return parsed.reason;
    const { event } = parsed;
    if (event.session_id !== this.#sessionId) return "it belongs to another session";
    if (event.seq <= this.#highest || event.seq - this.#highest > WIDEST_GAP) {
      return `seq ${event.seq} is out of order`;
    }
    return event;
  }
}

/** Records may be missing; a seq further ahead than this is damage, and would leave no room for the next ones. */
const WIDEST_GAP = 1_000_000;

function seqOf(record: unknown): number | undefined {
  if (typeof record !== "object" || record === null || !("seq" in record)) return undefined;
  return Number.isSafeInteger(record.seq) ? Number(record.seq) : undefined;
}
