import type { Clock, Logger } from "@acumen/core";
import type { ApprovalGate } from "../approval/approval-gate.ts";
import type { RememberedDecisions } from "../approval/remembered-decisions.ts";
import type { McpRuntimeManager } from "../mcp/mcp-runtime-manager.ts";
import type { SystemPromptParts } from "../prompt/system-prompt.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { EventLog } from "../session/event-log.ts";
import type { OpenedSession } from "../session/session-store.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { SkillShelf } from "../skills/skill-shelf.ts";
import type { FileOperations } from "../tools/operations.ts";
import type { TrustNote } from "../trust/trust-note.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { PersonTime } from "../turn/work-clock.ts";
import type { ReadLedger } from "../workspace/read-ledger.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { SessionModel } from "./session-model.ts";

/** What one session is made of; nothing here belongs to another session too, except the shelf, the clock and the logger. */
export interface SessionParts {
  readonly opened: OpenedSession;
  readonly log: EventLog;
  readonly workspace: Workspace;
  readonly trusted: boolean;
  readonly trustNote: TrustNote;
  readonly settings: AgentSettings;
  readonly model: SessionModel;
  readonly registry: ToolRegistry;
  /** One of the registry's sources. Absent: the agent has no MCP servers. */
  readonly mcp?: McpRuntimeManager;
  readonly gate: ApprovalGate;
  readonly remembered: RememberedDecisions;
  readonly people: PersonTime;
  /** What the model saw of files. */
  readonly reads: ReadLedger;
  readonly fileOperations?: FileOperations;
  /** The part of the system prompt that stays the same. */
  readonly prompt: Pick<SystemPromptParts, "environment" | "instructions">;
  readonly skills: SkillShelf;
  readonly redact: Redactor;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends processes of tools and closes tool sources; never rejects. */
  closeTools(): Promise<void>;
}
