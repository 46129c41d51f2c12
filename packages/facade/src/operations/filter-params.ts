import type { EventFilter, EventInclude } from "../services/event-queue-service.ts";

/** The wire's names become those of the services. */
export function filterOf(params: {
  readonly plan_id?: string;
  readonly session_id?: string;
  readonly types?: readonly string[];
  readonly include?: readonly EventInclude[];
}): EventFilter {
  const { plan_id: planId, session_id: sessionId, types, include } = params;
  return {
    ...(planId !== undefined && { planId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(types !== undefined && { types }),
    ...(include !== undefined && { include }),
  };
}
