import type { Logger } from "@acumen/core";

const SWEEP_MS = 60_000;

/** Sweeps with the first use, once a minute from then on and after every so many events; keeps no process alive. */
export class Retention {
  readonly #sweep: () => Promise<void>;
  readonly #every: number;
  readonly #logger: Logger;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isOver = false;

  constructor(options: {
    readonly sweep: () => Promise<void>;
    readonly every: number;
    readonly logger: Logger;
  }) {
    this.#sweep = options.sweep;
    this.#every = options.every;
    this.#logger = options.logger;
  }

  begin(): void {
    if (this.#timer !== undefined || this.#isOver) return;
    this.#timer = setInterval(() => this.#run(), SWEEP_MS).unref();
    this.#run();
  }

  /** So many events more: what is kept stays bounded however fast they come. */
  added(count: number): void {
    this.#count += count;
    if (this.#count < this.#every || this.#isOver) return;
    this.#count = 0;
    this.#run();
  }

  /** Resolves when no sweep runs any more. */
  async end(): Promise<void> {
    this.#isOver = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  #run(): void {
    this.#running ??= this.#sweepOnce();
  }

  async #sweepOnce(): Promise<void> {
    try {
      await this.#sweep();
    } catch (error) {
      const name = error instanceof Error ? error.name : typeof error;
      this.#logger.warn("old events could not be forgotten", { error: name });
    } finally {
      this.#running = undefined;
    }
  }
}
