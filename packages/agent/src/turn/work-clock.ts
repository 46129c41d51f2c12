import type { Clock } from "@acumen/core";

/** Measures a turn without the time in which it waits for a person, and says when a limit is reached. */
export class WorkClock {
  readonly #clock: Clock;
  readonly #limitMs: number | undefined;
  readonly #onExpired: () => void;
  #timer: NodeJS.Timeout | undefined;
  #used = 0;
  #since: number | undefined;
  #expired = false;

  constructor(
    clock: Clock,
    { limitMs, onExpired }: { readonly limitMs?: number; readonly onExpired: () => void },
  ) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onExpired = onExpired;
    this.resume();
  }

  get expired(): boolean {
    return this.#expired || this.#left() <= 0;
  }

  pause(): void {
    clearTimeout(this.#timer);
    if (this.#since === undefined) return;
    this.#used += this.#clock.monotonicMs() - this.#since;
    this.#since = undefined;
  }

  resume(): void {
    this.#since ??= this.#clock.monotonicMs();
    if (this.#limitMs === undefined || this.#expired) return;
    clearTimeout(this.#timer);
    // A longer delay than a timer can hold would fire at once.
    const delay = Math.min(Math.max(1, this.#left()), 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.#look(), delay);
    this.#timer.unref();
  }

  stop(): void {
    this.pause();
  }

  #left(): number {
    if (this.#limitMs === undefined) return Number.POSITIVE_INFINITY;
    const running = this.#since === undefined ? 0 : this.#clock.monotonicMs() - this.#since;
    return this.#limitMs - this.#used - running;
  }

  #look(): void {
    if (this.#left() > 0) return this.resume();
    this.#expired = true;
    this.#onExpired();
  }
}

/** Tells the clock of the turn that runs when somebody is asked. One per session. */
export class PersonTime {
  #clock: WorkClock | undefined;
  #asked = 0;

  attach(clock: WorkClock): () => void {
    this.#clock = clock;
    return () => {
      clock.stop();
      if (this.#clock === clock) this.#clock = undefined;
    };
  }

  async waitFor<T>(work: () => Promise<T>): Promise<T> {
    this.#asked += 1;
    this.#clock?.pause();
    try {
      return await work();
    } finally {
      this.#asked -= 1;
      if (this.#asked === 0) this.#clock?.resume();
    }
  }
}
