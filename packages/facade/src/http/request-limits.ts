import type { Clock } from "@acumen/core";
import type { Principal } from "../access/principal.ts";
import { AcpError } from "../errors/acp-error.ts";
import type { ServerLimits } from "./server-limits.ts";

type Limits = Pick<ServerLimits, "inFlight" | "mutationsPerSecond" | "mutationBurst" | "streams">;

interface Usage {
  inFlight: number;
  streams: number;
  /** Mutating operations that may come at once. */
  allowance: number;
  /** Monotonic milliseconds of the last refill. */
  refilledAt: number;
}

/** So many tokens are looked at before those that are idle are forgotten. */
const SWEEP_AT = 1_000;
const RETRY_IN_FLIGHT_MS = 1_000;
const RETRY_STREAM_MS = 5_000;

/** What one token may have at once. Each way in gives back a way out. */
export class RequestLimits {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #usages = new Map<string, Usage>();

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** @returns ends the request. @throws AcpError FACADE_RATE_LIMITED */
  beginRequest(principal: Principal): () => void {
    const usage = this.#usage(principal);
    const { inFlight: limit } = this.#limits;
    if (usage.inFlight >= limit) {
      throw limited(`${limit} requests of this token are being answered`, RETRY_IN_FLIGHT_MS);
    }
    usage.inFlight += 1;
    return once(() => void (usage.inFlight -= 1));
  }

  /** @returns ends the stream. @throws AcpError FACADE_RATE_LIMITED */
  beginStream(principal: Principal): () => void {
    const usage = this.#usage(principal);
    const { streams: limit } = this.#limits;
    if (usage.streams >= limit) {
      throw limited(`${limit} event streams of this token are open`, RETRY_STREAM_MS);
    }
    usage.streams += 1;
    return once(() => void (usage.streams -= 1));
  }

  /** @throws AcpError FACADE_RATE_LIMITED with the time until the next one is allowed */
  takeMutation(principal: Principal): void {
    const usage = this.#usage(principal);
    const { mutationsPerSecond: rate, mutationBurst: burst } = this.#limits;
    const now = this.#clock.monotonicMs();
    const gained = (Math.max(0, now - usage.refilledAt) / 1_000) * rate;
    usage.allowance = Math.min(burst, usage.allowance + gained);
    usage.refilledAt = now;
    if (usage.allowance < 1) {
      const wait = Math.ceil(((1 - usage.allowance) / rate) * 1_000);
      throw limited(`more than ${rate} changes a second were asked for`, wait);
    }
    usage.allowance -= 1;
  }

  #usage({ owner, tokenId }: Principal): Usage {
    const key = tokenId ?? owner;
    let usage = this.#usages.get(key);
    if (usage === undefined) {
      if (this.#usages.size >= SWEEP_AT) this.#forgetIdle();
      const refilledAt = this.#clock.monotonicMs();
      usage = { inFlight: 0, streams: 0, allowance: this.#limits.mutationBurst, refilledAt };
      this.#usages.set(key, usage);
    }
    return usage;
  }

  /** A bucket that is full again says nothing. */
  #forgetIdle(): void {
    const { mutationsPerSecond: rate, mutationBurst: burst } = this.#limits;
    const fullBefore = this.#clock.monotonicMs() - (burst / rate) * 1_000;
    for (const [key, { inFlight, streams, refilledAt }] of this.#usages) {
      if (inFlight === 0 && streams === 0 && refilledAt < fullBefore) this.#usages.delete(key);
    }
  }
}

function limited(what: string, retryAfterMs: number): AcpError {
  return new AcpError("FACADE_RATE_LIMITED", `Too much at once: ${what}; send it again later.`, {
    details: { retry_after_ms: retryAfterMs },
    retryable: true,
  });
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
