import { parseEvent, type SessionEvent } from "../events/session-event.ts";
import { longestRise } from "./longest-rise.ts";
import type { SkippedRecord } from "./session-store.ts";

/** A line of the log: an event, or why it is none. `seq` also of an odd record that has one. */
interface Line {
  readonly number: number;
  readonly seq: number | undefined;
  readonly read: SessionEvent | string;
}

interface Settled {
  readonly events: readonly SessionEvent[];
  readonly skipped: readonly SkippedRecord[];
  readonly lastSeq: number;
}

/** Records may be missing; an odd one that claims a seq further ahead than this is not believed. */
const WIDEST_GAP = 1_000_000;

/** Turns the lines of a session's log into events; what is missing or cannot be read is skipped and reported. Never throws. */
export class LogRecords {
  readonly #sessionId: string;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #lines: Line[] = [];
  #settled: Settled | undefined;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  get events(): readonly SessionEvent[] {
    return this.#settle().events;
  }

  get skipped(): readonly SkippedRecord[] {
    return this.#settle().skipped;
  }

  /** Highest seq that may have been given: lines at the end that cannot be read count as one each. */
  get lastSeq(): number {
    return this.#settle().lastSeq;
  }

  line(bytes: Uint8Array): void {
    this.#add(this.#parse(bytes));
  }

  /** Bytes without a line break at their end: true when they are a whole record. */
  tail(bytes: Uint8Array): boolean {
    const record = this.#parse(bytes);
    if (typeof this.#read(record) !== "string") {
      this.#add(record);
      return true;
    }
    // It was never stored whole, so nobody was told its seq.
    this.#take({ seq: 0, read: "the record is cut off" });
    return false;
  }

  #add(record: unknown): void {
    this.#take({ seq: seqOf(record), read: this.#read(record) });
  }

  #take(line: Omit<Line, "number">): void {
    this.#lines.push({ ...line, number: this.#lines.length + 1 });
    this.#settled = undefined;
  }

  #parse(bytes: Uint8Array): unknown {
    try {
      return JSON.parse(this.#decoder.decode(bytes)) as unknown;
    } catch {
      return undefined;
    }
  }

  #read(record: unknown): SessionEvent | string {
    if (record === undefined) return "not JSON";
    const parsed = parseEvent(record);
    if (!parsed.ok) return parsed.reason;
    const { event } = parsed;
    return event.session_id === this.#sessionId ? event : "it belongs to another session";
  }

  /** A seq that is wrong costs its own record alone, not those after it. */
  #settle(): Settled {
    if (this.#settled !== undefined) return this.#settled;
    const read = this.#lines.filter(({ read: event }) => typeof event !== "string");
    const rising = new Set(longestRise(read, ({ seq }) => seq ?? 0));
    const events: SessionEvent[] = [];
    const skipped: SkippedRecord[] = [];
    let lastSeq = 0;
    let isAfterEvent = true;
    for (const line of this.#lines) {
      if (typeof line.read !== "string" && rising.has(line)) {
        const { seq } = line.read;
        if (isAfterEvent && seq > lastSeq + 1) {
          skipped.push({ line: line.number, reason: missing(lastSeq + 1, seq - 1) });
        }
        events.push(line.read);
        lastSeq = seq;
        isAfterEvent = true;
        continue;
      }
      isAfterEvent = false;
      const reason = typeof line.read === "string" ? line.read : `seq ${line.seq} is out of order`;
      skipped.push({ line: line.number, reason });
      lastSeq = followed(lastSeq, line.seq);
    }
    if (this.#lines.length === 0) skipped.push({ line: 1, reason: "the log is empty" });
    this.#settled = { events, skipped, lastSeq };
    return this.#settled;
  }
}

/** Lines that are gone; where one that cannot be read stands in their place, that one is reported. */
function missing(from: number, to: number): string {
  return from === to
    ? `the record with seq ${from} before it is missing`
    : `the records with seq ${from} to ${to} before it are missing`;
}

/** The highest seq behind a line that is no event; the seq of a following event counts instead, as events rise. */
function followed(lastSeq: number, seq: number | undefined): number {
  if (seq === undefined) return lastSeq + 1;
  return seq > lastSeq && seq - lastSeq <= WIDEST_GAP ? seq : lastSeq;
}

function seqOf(record: unknown): number | undefined {
  if (typeof record !== "object" || record === null || !("seq" in record)) return undefined;
  return Number.isSafeInteger(record.seq) ? Number(record.seq) : undefined;
}
