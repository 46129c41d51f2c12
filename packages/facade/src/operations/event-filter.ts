import type { EventFilter } from "../services/event-queue-service.ts";

/** The wire's names become those of the services. */
export function filterOf(params: {
  readonly plan_id?: string;
  readonly session_id?: string;
  readonly types?: readonly string[];
}): EventFilter {
  const { plan_id: planId, session_id: sessionId, types } = params;
  return {
    ...(planId !== undefined && { planId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(types !== undefined && { types }),
  };
}
