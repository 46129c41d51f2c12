import { type Clock, createId, Mutex, systemClock } from "@acumen/core";
import type { RememberedDecision } from "../session/session-meta.ts";
import type { RememberedScope } from "./remembered-scope.ts";

export interface RememberedDecisionsOptions {
  /** What the session remembers already. */
  readonly decisions: readonly RememberedDecision[];
  /** Makes the whole new list durable; when it rejects, nothing is remembered or forgotten. */
  readonly persist: (decisions: RememberedDecision[]) => Promise<unknown>;
  readonly clock?: Clock;
}

/** What a person decided for good in one session. A newer decision on the same scope replaces the older one. */
export class RememberedDecisions {
  #decisions: readonly RememberedDecision[];
  readonly #persist: RememberedDecisionsOptions["persist"];
  readonly #clock: Clock;
  readonly #writes = new Mutex();

  constructor({ decisions, persist, clock = systemClock }: RememberedDecisionsOptions) {
    this.#decisions = [...decisions];
    this.#persist = persist;
    this.#clock = clock;
  }

  list(): readonly RememberedDecision[] {
    return this.#decisions;
  }

  /** The decision whose scope is one of these; a rejection goes before an allowance. */
  find(scopes: readonly RememberedScope[]): RememberedDecision | undefined {
    const known = new Set(scopes.map(({ scope }) => scope));
    const found = this.#decisions.filter(({ scope }) => known.has(scope));
    return found.find(({ decision }) => decision === "reject") ?? found[0];
  }

  /** @throws what `persist` throws */
  async add(
    decision: RememberedDecision["decision"],
    { scope, description }: RememberedScope,
  ): Promise<RememberedDecision> {
    const added: RememberedDecision = {
      id: createId(),
      decision,
      scope,
      description,
      created_at: this.#clock.now().toISOString(),
    };
    await this.#change((before) => [...before.filter((one) => one.scope !== scope), added]);
    return added;
  }

  /** False when no decision has this id. @throws what `persist` throws */
  async revoke(id: string): Promise<boolean> {
    let found = false;
    await this.#change((before) => {
      found = before.some((one) => one.id === id);
      return found ? before.filter((one) => one.id !== id) : before;
    });
    return found;
  }

  async #change(
    change: (before: readonly RememberedDecision[]) => readonly RememberedDecision[],
  ): Promise<void> {
    await this.#writes.run(async () => {
      const next = change(this.#decisions);
      if (next === this.#decisions) return;
      await this.#persist([...next]);
      this.#decisions = next;
    });
  }
}
