import type { PlanKey } from "./plan-records.ts";

interface Lane {
  readonly waiting: PlanKey[];
  running: number;
}

/**
 * Runs plans side by side, each at most once at a time. The next one comes from the project of which the fewest run; among equals from
 * the one that has waited longest, so that a project with many plans holds up no other.
 */
export class WorkerPool {
  readonly #limit: number;
  readonly #work: (key: PlanKey) => Promise<void>;
  /** By project; the one that was served last stands last. */
  readonly #lanes = new Map<string, Lane>();
  /** True: it is wanted once more when it is done. */
  readonly #active = new Map<string, { again: boolean; readonly done: Promise<void> }>();
  #closed = false;

  /** @param work never rejects */
  constructor(limit: number, work: (key: PlanKey) => Promise<void>) {
    this.#limit = limit;
    this.#work = work;
  }

  /** A plan may be ready to run; whoever runs it looks. */
  add(key: PlanKey, project: string): void {
    if (this.#closed) return;
    const active = this.#active.get(key.planId);
    if (active !== undefined) {
      active.again = true;
      return;
    }
    const lane = this.#lanes.get(project) ?? { waiting: [], running: 0 };
    this.#lanes.set(project, lane);
    if (!lane.waiting.some(({ planId }) => planId === key.planId)) lane.waiting.push(key);
    this.#fill();
  }

  /** Resolves when the plan does not run; at once when it does not. */
  async idle(planId: string): Promise<void> {
    await this.#active.get(planId)?.done;
  }

  /** Begins nothing any more. Resolves when what runs has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#lanes.clear();
    await Promise.all([...this.#active.values()].map(({ done }) => done));
  }

  #fill(): void {
    while (!this.#closed && this.#active.size < this.#limit) {
      const next = this.#next();
      if (next === undefined) return;
      this.#start(next.key, next.project, next.lane);
    }
  }

  #next(): { readonly key: PlanKey; readonly project: string; readonly lane: Lane } | undefined {
    let best: { readonly project: string; readonly lane: Lane } | undefined;
    for (const [project, lane] of this.#lanes) {
      if (lane.waiting.length === 0) continue;
      if (best === undefined || lane.running < best.lane.running) best = { project, lane };
    }
    const key = best?.lane.waiting.shift();
    return best === undefined || key === undefined ? undefined : { ...best, key };
  }

  #start(key: PlanKey, project: string, lane: Lane): void {
    this.#lanes.delete(project);
    this.#lanes.set(project, lane);
    lane.running += 1;
    // Begun in a later turn of the loop, so that whoever added it is done first.
    const done = Promise.resolve()
      .then(() => this.#work(key))
      .finally(() => this.#ended(key, project, lane));
    this.#active.set(key.planId, { again: false, done });
  }

  #ended(key: PlanKey, project: string, lane: Lane): void {
    const again = this.#active.get(key.planId)?.again ?? false;
    this.#active.delete(key.planId);
    lane.running -= 1;
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(project);
    if (again) this.add(key, project);
    this.#fill();
  }
}
