import type { MadeBy } from "../events/event-payloads.ts";
import type { CallRunner, EndedCall, OpenCall } from "./call-runner.ts";
import type { StepMessage, StepPart } from "./model-step.ts";

const MAX_PARALLEL = 8;

/** Carries out the calls of one step, whatever their origin. */
export class ToolExecutor {
  readonly #runner: CallRunner;
  readonly #say: (message: StepMessage) => Promise<void>;
  readonly #signal: AbortSignal;

  /** @param say logs a message */
  constructor(
    runner: CallRunner,
    say: (message: StepMessage) => Promise<void>,
    signal: AbortSignal,
  ) {
    this.#runner = runner;
    this.#say = say;
    this.#signal = signal;
  }

  /**
   * Messages between calls are logged at their place: some services want a thought directly before its call again.
   * Reads that follow each other run side by side; everything else waits for what came before and is looked at only then.
   * Every call has a result when this settles, also after an abort. Results in the order of the calls.
   * @throws the store's error when something could not be logged; nothing runs unlogged
   */
  async run(parts: readonly StepPart[], madeBy: MadeBy): Promise<readonly EndedCall[]> {
    const ended: EndedCall[] = [];
    let reading: Promise<EndedCall>[] = [];
    const settle = async (): Promise<void> => {
      const running = reading;
      reading = [];
      // All of them, also when one cannot be logged: nothing may go on behind the turn's back.
      const results = await Promise.allSettled(running);
      for (const result of results) {
        if (result.status === "rejected") throw result.reason;
        ended.push(result.value);
      }
    };
    try {
      for (const call of parts) {
        if (call.type === "message") {
          await this.#say(call);
          continue;
        }
        const stop = stopReasonOf(ended, this.#signal);
        if (stop !== undefined) {
          await settle();
          ended.push(await this.#runner.skip(call, madeBy, stop));
          continue;
        }
        const open = await this.#runner.open(call, madeBy);
        const parallel = isParallel(open);
        if (!parallel || reading.length >= MAX_PARALLEL) await settle();
        // One question at a time, also for calls that run side by side.
        const denied = await this.#runner.approve(open);
        if (denied !== undefined) {
          await settle();
          ended.push(denied);
          continue;
        }
        const running = this.#runner.run(open);
        if (parallel) reading.push(running);
        else ended.push(await running);
      }
      await settle();
    } finally {
      await Promise.allSettled(reading);
    }
    return ended;
  }
}

/** Why the calls that are left do not run. */
function stopReasonOf(ended: readonly EndedCall[], signal: AbortSignal): string | undefined {
  if (signal.aborted || ended.some(({ turnCancelled }) => turnCancelled === true)) {
    return "This call did not run: the turn was cancelled.";
  }
  if (ended.some(({ outcome }) => outcome.unanswered !== undefined)) {
    return "This call did not run: a question to the user is open.";
  }
  return undefined;
}

/** Calls that look at something; a question and the plan keep their place among the others. */
function isParallel({ prepared, tool }: OpenCall): boolean {
  if (!prepared.ok || prepared.preview.risk !== "read") return false;
  return tool?.kind === "read" || tool?.kind === "search" || tool?.kind === "fetch";
}
