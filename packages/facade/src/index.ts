// Adding a name here makes it public.
export type { Caller } from "./access/caller.ts";
export { LOCAL_OWNER, LOCAL_PRINCIPAL, type Principal } from "./access/principal.ts";
export { type Scope, SCOPES } from "./access/scope.ts";
export {
  AcpHttpTransport,
  type AcpHttpTransportOptions,
  type SendOptions,
} from "./client/acp-http-transport.ts";
export type { EventsQuery } from "./client/resumed-events.ts";
export {
  AcpLocalFacade,
  type AcpLocalFacadeOptions,
  type DispatchOptions,
} from "./dispatch/acp-local-facade.ts";
export {
  createLocalServices,
  type LocalServices,
  type LocalServicesOptions,
} from "./dispatch/local-services.ts";
export {
  ACP_ERROR_CODES,
  type AcpErrorCode,
  type AcpErrorDetail,
} from "./envelope/acp-error-detail.ts";
export type { AcpEvent, AcpEventDraft } from "./envelope/acp-event.ts";
export { ACP_VERSION, type AcpRequest } from "./envelope/acp-request.ts";
export type { AcpResponse } from "./envelope/acp-response.ts";
export type { JsonObject, JsonValue } from "./envelope/json-value.ts";
export { AcpVersionNegotiator } from "./envelope/version-negotiator.ts";
export { FACADE_ERRORS, type FacadeErrorCode } from "./errors.ts";
export {
  AcpError,
  AcpNotAvailableError,
  AcpOperationNotFoundError,
  AcpVersionMismatchError,
  CleverAgentsError,
} from "./errors/acp-error.ts";
export {
  AuthenticationError,
  AuthorizationError,
  BusinessRuleViolation,
  ConfigurationError,
  ConflictError,
  PlanError,
  ResourceNotFoundError,
  ValidationError,
  type ValidationIssue,
} from "./errors/domain-error.ts";
export { mapDomainError } from "./errors/map-domain-error.ts";
export {
  AcpEventQueue,
  type AcpEventQueueOptions,
  type EventQueueLimits,
  type EventsOptions,
  type PublishedEvent,
} from "./events/acp-event-queue.ts";
export type { EventCallback } from "./events/callback-subscription.ts";
export { eventDraft } from "./events/event-draft.ts";
export {
  ACP_EVENT_TYPES,
  type AcpEventData,
  type AcpEventType,
  type AcpFrameType,
  type AcpLogEventType,
  EVENT_DATA,
  FRAME_DATA,
  isTypedEvent,
  type TypedAcpEvent,
} from "./events/event-types.ts";
export type { RemoteEvents, RemoteOptions } from "./events/remote-subscription.ts";
export {
  AgentPlanExecutor,
  type AgentPlanExecutorOptions,
} from "./executor/agent-plan-executor.ts";
export { envelopeSchemas, openApiDocument } from "./http/open-api.ts";
export type { ServerLimits } from "./http/server-limits.ts";
export type {
  ExecutionResult,
  ExecutorEvent,
  ExecutorRun,
  PlanExecutor,
  StrategyResult,
} from "./plans/plan-executor.ts";
export { PlanLifecycle, type PlanLifecycleOptions } from "./plans/plan-lifecycle.ts";
export type { PlanSettings } from "./plans/plan-parts.ts";
export type { Plan, PlanPhase, PlanState } from "./plans/plan.ts";
export { PROFILE_NAMES, type ProfileName } from "./plans/profile.ts";
export { EphemeralPlace } from "./sandbox/ephemeral-place.ts";
export { GitSandboxes, type GitSandboxesOptions } from "./sandbox/git-sandboxes.ts";
export type { Project, Sandbox, Sandboxes } from "./sandbox/sandboxes.ts";
export type { ServiceKey, ServiceMap } from "./services/service-map.ts";
export type { FacadeSession } from "./sessions/facade-session.ts";
export type { Committed, FacadeStore, StoreChange } from "./store/facade-store.ts";
export { MemoryFacadeStore } from "./store/memory-facade-store.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./store/sqlite/open-sqlite-store.ts";
export { type NewToken, TokenRegistry } from "./tokens/token-registry.ts";
export {
  type FacadeServer,
  type FacadeServerOptions,
  startFacadeServer,
} from "./http/facade-server.ts";
