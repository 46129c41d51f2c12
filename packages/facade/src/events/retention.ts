import type { Logger } from "@acumen/core";

const SWEEP_MS = 60_000;

/** Sweeps with the first use and once a minute from then on; keeps no process alive. */
export class Retention {
  readonly #sweep: () => Promise<void>;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor({ sweep, logger }: { readonly sweep: () => Promise<void>; readonly logger: Logger }) {
    this.#sweep = sweep;
    this.#logger = logger;
  }

  begin(): void {
    if (this.#timer !== undefined || this.#isOver) return;
    this.#timer = setInterval(() => this.#run(), SWEEP_MS).unref();
    this.#run();
  }

  /** Resolves when no sweep runs any more. */
  async end(): Promise<void> {
    this.#isOver = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  #run(): void {
    this.#running = this.#sweep().catch((error: unknown) => {
      const name = error instanceof Error ? error.name : typeof error;
      this.#logger.warn("old events could not be forgotten", { error: name });
    });
  }
}
