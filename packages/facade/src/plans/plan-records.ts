import { AcumenError, untilAborted } from "@acumen/core";
import type { AcpEventDraft } from "../envelope/acp-event.ts";
import { ResourceNotFoundError } from "../errors/domain-error.ts";
import type { FacadeSession } from "../sessions/facade-session.ts";
import type { Committed, FacadeStore, StoreChange } from "../store/facade-store.ts";
import type { After } from "./after.ts";
import type { Plan } from "./plan.ts";
import type { PlanChange } from "./plan-move.ts";

/** The only way services write: state and events together, then delivery. */
export interface ChangeCommitter {
  commit(change: StoreChange): Promise<Committed>;
}

export interface PlanKey {
  readonly owner: string;
  readonly planId: string;
}

export function keyOf({ owner, plan_id: planId }: Pick<Plan, "owner" | "plan_id">): PlanKey {
  return { owner, planId };
}

/** Writers of one plan in one process are few; more losses than this in a row are a fault. */
const MAX_TRIES = 200;

/** Plans as they are stored. Who writes must have seen what it replaces: a loser looks again and decides anew. */
export class PlanRecords {
  readonly #store: Pick<FacadeStore, "plan">;
  readonly #queue: ChangeCommitter;
  readonly #after: After;
  readonly #watchers = new Map<string, Set<() => void>>();

  constructor(store: Pick<FacadeStore, "plan">, queue: ChangeCommitter, after: After) {
    this.#store = store;
    this.#queue = queue;
    this.#after = after;
  }

  /** @throws ResourceNotFoundError also for a plan of somebody else */
  async get({ owner, planId }: PlanKey): Promise<Plan> {
    const plan = await this.#store.plan(owner, planId);
    if (plan !== undefined) return plan;
    throw new ResourceNotFoundError(
      `There is no plan ${planId}. plan.list shows those there are.`,
      {
        details: { plan_id: planId },
      },
    );
  }

  /** @param sessions change with it */
  async insert(
    plan: Plan,
    drafts: readonly AcpEventDraft[],
    sessions: readonly FacadeSession[] = [],
  ): Promise<void> {
    await this.#commit(plan, drafts, sessions);
  }

  /**
   * @param decide what becomes of the plan as it is; undefined: it stays. Called again when somebody else was faster
   * @returns the plan as it is then
   */
  async update(key: PlanKey, decide: (plan: Plan) => PlanChange | undefined): Promise<Plan> {
    for (let attempt = 1; ; attempt += 1) {
      const plan = await this.get(key);
      const change = decide(plan);
      if (change === undefined) return plan;
      try {
        await this.#commit(change.plan, change.drafts);
        return change.plan;
      } catch (error) {
        const isLost = AcumenError.isInstance(error) && error.code === "FACADE_CONFLICT";
        if (!isLost || attempt >= MAX_TRIES) throw error;
      }
    }
  }

  /** Events without a change of the plan. */
  async tell(plan: Pick<Plan, "owner">, drafts: readonly AcpEventDraft[]): Promise<void> {
    await this.#queue.commit({ events: { owner: plan.owner, drafts } });
  }

  /**
   * Reads the plan until it is as wanted or the time is over.
   * @throws the abort's error: the waiting ends, the plan goes on
   */
  async until(
    key: PlanKey,
    isWanted: (plan: Plan) => boolean,
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<Plan> {
    let isOver = waitMs <= 0;
    let wake = (): void => undefined;
    const stop = this.#watch(key.planId, () => wake());
    const cancelTimer = this.#after(waitMs, () => {
      isOver = true;
      wake();
    });
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const plan = await this.get(key);
        if (isOver || isWanted(plan)) return plan;
        await untilAborted(woken, signal);
      }
    } finally {
      stop();
      cancelTimer();
    }
  }

  #watch(planId: string, callback: () => void): () => void {
    const watchers = this.#watchers.get(planId) ?? new Set();
    this.#watchers.set(planId, watchers.add(callback));
    return () => {
      watchers.delete(callback);
      if (watchers.size === 0) this.#watchers.delete(planId);
    };
  }

  async #commit(
    plan: Plan,
    drafts: readonly AcpEventDraft[],
    sessions: readonly FacadeSession[] = [],
  ): Promise<void> {
    await this.#queue.commit({ sessions, plans: [plan], events: { owner: plan.owner, drafts } });
    for (const callback of this.#watchers.get(plan.plan_id) ?? []) callback();
  }
}
