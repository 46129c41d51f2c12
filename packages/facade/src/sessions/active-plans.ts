import type { Caller } from "../access/caller.ts";
import type { Plan, PlanState } from "../plans/plan.ts";
import { isRunning } from "../plans/waiting.ts";
import type { FacadeStore, Page } from "../store/facade-store.ts";
import type { ActivePlan } from "./session-registry.ts";

/** Whatever else may still go on, too, but only by a retry, a revert or another apply. */
const ACTIVE: readonly PlanState[] = ["queued", "processing", "complete"];
const MANY = 200;

/** The plans of a session that have not ended, however many. */
export async function activePlans(
  store: FacadeStore,
  sessionId: string,
  { principal }: Caller,
): Promise<readonly ActivePlan[]> {
  const found: ActivePlan[] = [];
  let next: string | null = null;
  do {
    const page: Page<Plan> = await store.plans({
      owner: principal.owner,
      sessionId,
      states: ACTIVE,
      limit: MANY,
      ...(next !== null && { cursor: next }),
    });
    found.push(
      ...page.items.map((plan) => ({ plan_id: plan.plan_id, isRunning: isRunning(plan) })),
    );
    next = page.nextCursor;
  } while (next !== null);
  return found;
}
