import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { textUpdate } from "./message-updates.ts";

/** Events that wait for a turn; older ones are left out and counted. */
const MAX_WAITING = 50;

interface Waiting {
  readonly seq: number;
  readonly updates: readonly SessionUpdate[];
}

/** What happened outside of turns and is said in the next one, each once. */
export class WaitingUpdates {
  #waiting: Waiting[] = [];
  #leftOut = 0;

  add(seq: number, updates: readonly SessionUpdate[]): void {
    if (updates.length === 0) return;
    this.#waiting.push({ seq, updates });
    if (this.#waiting.length <= MAX_WAITING) return;
    this.#waiting.shift();
    this.#leftOut += 1;
  }

  /** Of events that were logged before this one: a slow host gets the events of a turn later than those outside of it. */
  takeBefore(seq: number): readonly SessionUpdate[] {
    const taken = this.#waiting.filter((one) => one.seq < seq);
    const [first] = taken;
    if (first === undefined) return [];
    this.#waiting = this.#waiting.filter((one) => one.seq >= seq);
    const updates = taken.flatMap((one) => one.updates);
    if (this.#leftOut === 0) return updates;
    const text = `\n${this.#leftOut} earlier messages are left out; the log of the session has them.\n`;
    this.#leftOut = 0;
    return [textUpdate("reasoning", `left-out-${first.seq}`, text), ...updates];
  }
}
