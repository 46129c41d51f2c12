// Adding a name here makes it public.
export type {
  AdmittedWorkspace,
  CodingAgentOptions,
  CreateSessionOptions,
  McpConfigs,
  McpHost,
  OpenSessionOptions,
  SessionHost,
  WorkspaceFacts,
} from "./agent/agent-options.ts";
export { CodingAgent } from "./agent/coding-agent.ts";
export { CodingAgentBuilder } from "./agent/coding-agent-builder.ts";
export {
  ApprovalGate,
  type ApprovalGateOptions,
  type DecideOptions,
  type GateDecision,
} from "./approval/approval-gate.ts";
export {
  APPROVAL_ANSWERS,
  type ApprovalAnswer,
  type ApprovalGateway,
  type ApprovalOption,
  type ApprovalRequest,
  type Declined,
  type QuestionGateway,
} from "./approval/approval-gateway.ts";
export type { GatedCall, GateWorkspace } from "./approval/gated-call.ts";
export { parsePermissionRules, type PermissionRuleSet } from "./approval/permission-rule.ts";
export {
  RememberedDecisions,
  type RememberedDecisionsOptions,
} from "./approval/remembered-decisions.ts";
export { type AttachedPrompt, attachFiles } from "./attachments/attach-files.ts";
export { missingFiles } from "./attachments/missing-files.ts";
export { DEFAULT_MODE, SESSION_MODES, type SessionMode } from "./approval/session-mode.ts";
export {
  type ContentBlock,
  contentBlockSchema,
  type TextBlock,
  textBlock,
  textOf,
} from "./content/content-block.ts";
export { AGENT_ERRORS, type AgentErrorCode, agentError } from "./errors.ts";
export {
  EVENT_PAYLOADS,
  EVENT_TYPES,
  type EventType,
  type FileDiff,
  type FileLocation,
  type MadeBy,
  type PlanEntry,
  type SeenFile,
  TOOL_KINDS,
  type ToolKind,
} from "./events/event-payloads.ts";
export {
  type EventDraft,
  type EventPayload,
  type ParsedEvent,
  parseEvent,
  type SessionEvent,
} from "./events/session-event.ts";
export type {
  McpConfigSource,
  ResolvedMcpConfig,
  ResolvedMcpServer,
} from "./mcp/config/resolved-config.ts";
export type {
  ConflictPolicy,
  McpServerDefinition,
  McpTransport,
} from "./mcp/config/server-definition.ts";
export type { ArgumentFault } from "./mcp/tools/schema/argument-faults.ts";
export { valueFaults } from "./mcp/tools/schema/value-faults.ts";
export type {
  McpServerStatus,
  McpState,
  McpStatusChange,
  NameConflict,
  QuarantinedTool,
} from "./mcp/mcp-status.ts";
export { childEnvironment } from "./process/child-environment.ts";
export { LocalProcesses } from "./process/local-processes.ts";
export { ProcessGuard } from "./process/process-guard.ts";
export { createRedactor, type RedactionStream, type Redactor } from "./redaction/redactor.ts";
export type { UncountedSkill } from "./learning/counted-ratings.ts";
export { findProgram, type FoundProgram } from "./mcp/transports/find-program.ts";
export { McpRuntimeManager, type McpRuntimeOptions } from "./mcp/mcp-runtime-manager.ts";
export {
  type FeedbackOptions,
  type FeedbackResult,
  giveFeedback,
} from "./learning/give-feedback.ts";
export { type RecordedFeedback, recordFeedback } from "./learning/record-feedback.ts";
export type { FeedbackEvidence, Proposal, ProposalFile } from "./learning/proposal.ts";
export { ProposalStore } from "./learning/proposal-store.ts";
export { type Rating, RATINGS } from "./learning/rated-turn.ts";
export {
  type Review,
  type ReviewItem,
  type ReviewOptions,
  reviewProposals,
} from "./learning/review-proposals.ts";
export type { SkillCount } from "./learning/skill-counts.ts";
export type { FeedbackPhase } from "./learning/staged-learning.ts";
export type { TrustKeeper } from "./learning/workspace-counts.ts";
export type { ChoiceChange } from "./mcp/config/choice-editor.ts";
export { chosenServers } from "./mcp/config/workspace-choice.ts";
export {
  type AddedMcpServer,
  type DefinedMcpServer,
  type EnabledMcpServer,
  McpConfigManager,
  type McpConfigManagerOptions,
  type RemovedMcpServer,
} from "./mcp/config/mcp-config-manager.ts";
export {
  type EnvironmentFacts,
  environmentFacts,
  type FactsOptions,
} from "./prompt/environment-facts.ts";
export {
  type InstructionFile,
  type InstructionProblem,
  type Instructions,
  readInstructions,
} from "./prompt/instruction-files.ts";
export { stablePrompt, systemPrompt, type SystemPromptParts } from "./prompt/system-prompt.ts";
export { EventLog, type EventListener, type EventPlace } from "./session/event-log.ts";
export { FileSessionStore, type FileSessionStoreOptions } from "./session/file-session-store.ts";
export { livenessOf, ownIdentity, type ProcessIdentity } from "./session/process-identity.ts";
export { forkSession } from "./session/fork-session.ts";
export { MemorySessionStore } from "./session/memory-session-store.ts";
export { CodingSession, type CompactResult, type SessionStatus } from "./session/coding-session.ts";
export {
  type RememberedDecision,
  type SessionMeta,
  sessionMetaSchema,
} from "./session/session-meta.ts";
export type {
  BeforeImage,
  ListOptions,
  OpenedSession,
  SessionPage,
  SessionStore,
  SkippedRecord,
  StoredSession,
  UnreadableSession,
} from "./session/session-store.ts";
export { type Undone, undoTo } from "./session/undo.ts";
export {
  type AgentSettings,
  DEFAULT_SETTINGS,
  LEARNING_MODES,
  type LearningMode,
  type PermissionRules,
  type TurnLimits,
} from "./settings/agent-settings.ts";
export {
  type BuiltinToolDeps,
  type BuiltinTools,
  createBuiltinTools,
} from "./tools/builtin-tools.ts";
export { isReservedToolName, RESERVED_TOOL_NAMES } from "./tools/reserved-names.ts";
export {
  type ExposedTool,
  MAX_TOOLS,
  ToolRegistry,
  type ToolRegistryOptions,
} from "./tools/tool-registry.ts";
export type { AppliedSkill } from "./skills/applied-skills.ts";
export { type BookName, placeOf, shownId, type SkillPlace } from "./skills/shown-id.ts";
export {
  chooseSkills,
  type ChooseSkillsOptions,
  type ChosenSkills,
  SKILLS_BUDGET,
  SkillShelf,
} from "./skills/skill-shelf.ts";
export type {
  ExecRequest,
  ExecResult,
  FileOperations,
  HostWritten,
  ProcessOperations,
  ProgramCommand,
  ToolOperations,
  WrapCommand,
} from "./tools/operations.ts";
export { visibleLine, visibleText } from "./text/visible-text.ts";
export {
  type CallPreview,
  type CallSubject,
  type PrepareContext,
  type PreparedCall,
  type RefusedCall,
  type RunContext,
  type Tool,
  TOOL_RISKS,
  type ToolInputSchema,
  type ToolOrigin,
  type ToolOutcome,
  type ToolRisk,
} from "./tools/tool.ts";
export type { ToolSource } from "./tools/tool-source.ts";
export type { FolderFile } from "./trust/folder-contents.ts";
export type { FileChange } from "./trust/trust-difference.ts";
export {
  type Admission,
  type TrustEntry,
  type TrustState,
  WorkspaceTrust,
  type WorkspaceTrustOptions,
} from "./trust/workspace-trust.ts";
export { HeadlessCodingSessionRuntime, type PromptOptions } from "./turn/headless-runtime.ts";
export type { TurnResult } from "./turn/turn-result.ts";
export {
  STOP_REASONS,
  type StopReason,
  type TransientUpdate,
  type TurnSink,
} from "./turn/turn-sink.ts";
export { SECRET_HEAD_BYTES, secretContentRule } from "./workspace/path-policy.ts";
export { ReadLedger } from "./workspace/read-ledger.ts";
export {
  type FileAccess,
  type LocatedPath,
  openWorkspace,
  type Place,
  protectedRule,
  type Workspace,
  type WorkspaceOptions,
} from "./workspace/workspace.ts";
