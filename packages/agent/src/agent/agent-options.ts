import type { Clock, Logger } from "@acumen/core";
import type { Model, ThoughtLevel } from "@acumen/models";
import type { ApprovalGateway, QuestionGateway } from "../approval/approval-gateway.ts";
import type { SessionMode } from "../approval/session-mode.ts";
import type { SessionStore } from "../session/session-store.ts";
import type { McpConfigSource } from "../mcp/config/resolved-config.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { ToolOperations } from "../tools/operations.ts";
import type { ToolSource } from "../tools/tool-source.ts";

export interface WorkspaceFacts {
  /** Absolute real path. */
  readonly cwd: string;
  readonly trusted: boolean;
}

/** The same at the beginning of a session. */
export interface AdmittedWorkspace extends WorkspaceFacts {
  /** Of its `.acumen` when trust was decided: `WorkspaceTrust.read` gives what was trusted, and nothing that came later. */
  readonly digest: string;
}

/** Which MCP servers a session has, as far as its host says. */
export interface McpHost {
  /** Definitions by name, in the shape of `mcpServers`; variables in them are not replaced. */
  readonly servers?: Readonly<Record<string, unknown>>;
  /** Also those of machine and workspace. Default true. */
  readonly inherit?: boolean;
  /** What the first prompt waits for: so many ms, or until each server has settled. Default 2,000. */
  readonly wait?: number | "settled";
}

/** Where sessions get their MCP servers from. */
export interface McpConfigs {
  sourceFor(workspace: { readonly cwd: string }, host?: McpHost): McpConfigSource;
}

/** What every session of an agent shares. */
export interface CodingAgentOptions {
  /** Where skillbook, proposals and trust are kept (`$ACUMEN_HOME`). Absolute. */
  readonly home: string;
  readonly store: SessionStore;
  /** @throws MODEL_FAILED */
  readonly resolveModel: (id: string) => Promise<Model>;
  /** Asked once per session, when it starts. */
  readonly settingsFor: (workspace: AdmittedWorkspace) => Promise<AgentSettings>;
  /** Where the environment of children is taken from, by an allow list. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Every workspace that can be trusted counts as trusted, in this process only; any other one is refused. */
  readonly trustOnce?: boolean;
  /** Absent: sessions have no MCP servers, also none of their host. */
  readonly mcp?: McpConfigs;
  /** Secrets that no output, event or log may hold. */
  readonly secrets?: readonly string[];
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Who is on the other side of a session; each may be absent. */
export interface SessionHost {
  /** Absent: what needs approval is rejected. */
  readonly approvals?: ApprovalGateway;
  /** Absent: `ask_user` ends the turn. */
  readonly questions?: QuestionGateway;
  readonly operations?: ToolOperations;
  /** Names of the built-in tools that the model is given. Absent: all of them. */
  readonly builtinTools?: readonly string[];
  readonly mcp?: McpHost;
  /** Opened for each session, closed with it. */
  readonly toolSources?: (workspace: AdmittedWorkspace) => Promise<readonly ToolSource[]>;
  /** Said when a mode asks and nobody can be asked: what would allow the call beside a rule, which is named anyway. */
  readonly rejectedHint?: string;
  /**
   * How a workspace is trusted from here, a whole sentence. With it the first turn also says that what an untrusted workspace
   * brings does not count; absent: the host says that itself.
   */
  readonly trustHint?: string;
}

export interface CreateSessionOptions extends SessionHost {
  /** Made absolute and real. */
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly model: string;
  /** Default: the model's own. */
  readonly thoughtLevel?: ThoughtLevel;
  readonly mode?: SessionMode;
}

export interface OpenSessionOptions extends SessionHost {
  /** The session must have been begun there; made real before it is compared. Default: wherever it was. */
  readonly cwd?: string;
  /** Instead of the session's own. */
  readonly additionalDirectories?: readonly string[];
  /** Instead of the session's own; recorded as MODEL_CHANGED. */
  readonly model?: string;
  /** Instead of the session's own; recorded as MODEL_CHANGED. */
  readonly thoughtLevel?: ThoughtLevel;
  readonly mode?: SessionMode;
}
