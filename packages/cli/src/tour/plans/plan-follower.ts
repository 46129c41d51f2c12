import type { AcpEvent } from "@acumen/facade";
import { cliError } from "../../errors.ts";
import type { TourOrchestrator } from "./tour-orchestrator.ts";

export interface FollowOptions {
  readonly planId: string;
  readonly onEvent: (event: AcpEvent) => void;
  /** The first connection ends with this event. */
  readonly cutAt: (event: AcpEvent) => boolean;
  /** Between the connections: what happens meanwhile is to be there afterwards. */
  readonly onCut: (after: number) => Promise<void>;
}

/** Reads a plan's events until it can change no more, over a connection that is lost in the middle. */
export class PlanFollower {
  /** Resolves with the last event; rejects with what ended the reading. */
  readonly done: Promise<void>;
  readonly #events: AcpEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #cutAfter = 0;
  #hasEnded = false;

  constructor(orchestrator: TourOrchestrator, options: FollowOptions) {
    this.done = this.#follow(orchestrator, options).finally(() => {
      this.#hasEnded = true;
      this.#wake();
    });
    // Whoever waits for an event is told; nobody may be waiting yet.
    this.done.catch(() => undefined);
  }

  get events(): readonly AcpEvent[] {
    return this.#events;
  }

  /** Seq of the last event of the first connection; 0: it was not cut. */
  get cutAfter(): number {
    return this.#cutAfter;
  }

  /** @throws CLI_TOUR_FAILED when the plan fails or its events end before */
  async until(what: string, matches: (event: AcpEvent) => boolean): Promise<void> {
    for (;;) {
      if (this.#events.some(matches)) return;
      const failed = this.#events.find(({ event_type: type }) => type === "plan.errored");
      if (failed !== undefined || this.#hasEnded) {
        const why =
          failed === undefined ? "its events ended" : JSON.stringify(failed.data["error"]);
        throw cliError("CLI_TOUR_FAILED", `The plan did not come to ${what}: ${why}.`);
      }
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async #follow(orchestrator: TourOrchestrator, options: FollowOptions): Promise<void> {
    const { planId, cutAt, onCut } = options;
    const first = new AbortController();
    let last = 0;
    for await (const event of orchestrator.events(planId, last, first.signal)) {
      last = event.seq;
      this.#take(event, options);
      if (!cutAt(event)) continue;
      this.#cutAfter = last;
      first.abort();
      break;
    }
    if (this.#cutAfter === 0) return;
    await onCut(last);
    for await (const event of orchestrator.events(planId, last, new AbortController().signal)) {
      this.#take(event, options);
    }
  }

  #take(event: AcpEvent, { onEvent }: FollowOptions): void {
    this.#events.push(event);
    onEvent(event);
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** Each event names the one before it of the same plan: nothing is missing, doubled or out of order. */
export function isUnbroken(events: readonly AcpEvent[]): boolean {
  return events.every(({ prev_seq: previous, seq }, index) => {
    const before = events[index - 1];
    return before === undefined ? previous === null : previous === before.seq && seq > before.seq;
  });
}
