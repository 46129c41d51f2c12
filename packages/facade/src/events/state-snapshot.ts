import type { JsonObject } from "../envelope/json-value.ts";
import type { EventFilter } from "../services/event-queue-service.ts";
import type { FacadeStore } from "../store/facade-store.ts";

/** Where the plan and session of a filter stand now. */
export async function stateSnapshot(
  store: Pick<FacadeStore, "plan" | "session">,
  owner: string,
  { planId, sessionId }: EventFilter,
): Promise<JsonObject> {
  const plan = planId === undefined ? undefined : await store.plan(owner, planId);
  const session = sessionId === undefined ? undefined : await store.session(owner, sessionId);
  return {
    ...(plan !== undefined && {
      plan: {
        plan_id: plan.plan_id,
        phase: plan.phase,
        state: plan.state,
        attempt: plan.attempt,
        version: plan.version,
        waiting_for: plan.waiting_for,
      },
    }),
    ...(session !== undefined && {
      session: {
        session_id: session.session_id,
        status: session.status,
        version: session.version,
      },
    }),
  };
}
