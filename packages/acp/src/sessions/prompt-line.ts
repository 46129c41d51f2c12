import { untilAborted } from "@acumen/core";
import type { PromptResponse } from "@agentclientprotocol/sdk";

const CANCELLED: PromptResponse = { stopReason: "cancelled" };

/** The prompts of one session: one at a time, in the order in which they came; each is answered once. */
export class PromptLine {
  /** With the numbers of the messages that brought them. */
  readonly #open = new Map<AbortController, number>();
  #last: Promise<unknown> = Promise.resolve();

  /** A prompt waits or runs. */
  get busy(): boolean {
    return this.#open.size > 0;
  }

  /**
   * A cancel counts from this call on, also before `work` begins. The answer after it is `cancelled`, whatever `work` says.
   * @param signal of this prompt alone
   * @param arrival number of the message that brought it
   * @throws what `work` throws
   */
  run(
    work: (signal: AbortSignal) => Promise<PromptResponse>,
    signal: AbortSignal,
    arrival = 0,
  ): Promise<PromptResponse> {
    const own = new AbortController();
    this.#open.set(own, arrival);
    const either = AbortSignal.any([own.signal, signal]);
    const before = this.#last;
    const answer = answered(before, work, either).finally(() => this.#open.delete(own));
    // Whoever leaves the line early does not let others pass.
    this.#last = Promise.allSettled([before, answer]);
    return answer;
  }

  /** The prompt that runs and those that wait, as far as they came before this number. */
  cancel(before = Number.POSITIVE_INFINITY): void {
    for (const [controller, arrival] of this.#open) if (arrival < before) controller.abort();
  }

  /** Resolves when every prompt was answered. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

async function answered(
  before: Promise<unknown>,
  work: (signal: AbortSignal) => Promise<PromptResponse>,
  signal: AbortSignal,
): Promise<PromptResponse> {
  try {
    await untilAborted(before, signal);
    // What was waited for may have ended in the same moment.
    if (signal.aborted) return CANCELLED;
    const answer = await work(signal);
    return signal.aborted ? CANCELLED : answer;
  } catch (error) {
    if (signal.aborted) return CANCELLED;
    throw error;
  }
}
