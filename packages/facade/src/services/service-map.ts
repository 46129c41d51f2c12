import type { PlanExecutor } from "../plans/plan-executor.ts";
import type { ActionRegistry } from "./action-registry.ts";
import type { ContextService } from "./context-service.ts";
import type { EventQueueService } from "./event-queue-service.ts";
import type { PlanLifecycleService } from "./plan-lifecycle-service.ts";
import type { ResourceRegistryService, ToolRegistryService } from "./registries.ts";
import type { SessionService } from "./session-service.ts";

/** Services by the keys of the protocol's reference. */
export interface ServiceMap {
  readonly session_service: SessionService;
  readonly plan_lifecycle_service: PlanLifecycleService;
  readonly tool_registry: ToolRegistryService;
  readonly resource_registry_service: ResourceRegistryService;
  readonly event_queue: EventQueueService;
  readonly context_service: ContextService;
  readonly action_registry: ActionRegistry;
  /** Absent: plans are made, and wait. */
  readonly plan_executor?: PlanExecutor;
}
export type ServiceKey = keyof ServiceMap;
