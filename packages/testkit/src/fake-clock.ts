import type { Clock } from "@acumen/core";

/** A clock that moves only when told to. */
export class FakeClock implements Clock {
  #ms: number;
  readonly #startedAt: number;

  constructor(start = "2026-01-01T00:00:00.000Z") {
    this.#startedAt = Date.parse(start);
    this.#ms = this.#startedAt;
  }

  now(): Date {
    return new Date(this.#ms);
  }

  monotonicMs(): number {
    return this.#ms - this.#startedAt;
  }

  advance(ms: number): void {
    this.#ms += ms;
  }
}
