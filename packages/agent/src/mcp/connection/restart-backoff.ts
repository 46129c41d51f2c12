import type { Clock } from "@acumen/core";

export interface RestartRules {
  /** How long each restart waits, ms; so many are tried. */
  readonly delaysMs: readonly number[];
  /** A restart counts so long, ms. */
  readonly windowMs: number;
  /** A server that ran so long begins anew, ms. */
  readonly healthyMs: number;
}

const RESTART_RULES: RestartRules = {
  delaysMs: [500, 1_000, 2_000, 4_000, 8_000],
  windowMs: 300_000,
  healthyMs: 60_000,
};

export interface Restart {
  /** ms. */
  readonly delayMs: number;
  /** From 1. */
  readonly attempt: number;
  readonly attempts: number;
}

/** When a server that ended is started again, and when that is given up. */
export class RestartBackoff {
  readonly #clock: Clock;
  readonly #rules: RestartRules;
  #restarts: readonly number[] = [];
  #connectedAt: number | undefined;

  constructor(clock: Clock, rules: RestartRules = RESTART_RULES) {
    this.#clock = clock;
    this.#rules = rules;
  }

  connected(): void {
    this.#connectedAt = this.#clock.monotonicMs();
  }

  /** The server has ended. Undefined: it was restarted too often. */
  next(): Restart | undefined {
    const { delaysMs, windowMs, healthyMs } = this.#rules;
    const now = this.#clock.monotonicMs();
    const isHealthy = this.#connectedAt !== undefined && now - this.#connectedAt >= healthyMs;
    this.#connectedAt = undefined;
    if (isHealthy) this.reset();
    this.#restarts = this.#restarts.filter((at) => now - at < windowMs);
    const delayMs = delaysMs[this.#restarts.length];
    if (delayMs === undefined) return undefined;
    this.#restarts = [...this.#restarts, now];
    return { delayMs, attempt: this.#restarts.length, attempts: delaysMs.length };
  }

  /** Somebody asks for a new beginning. */
  reset(): void {
    this.#restarts = [];
    this.#connectedAt = undefined;
  }
}
