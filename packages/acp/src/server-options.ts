import type {
  CodingAgent,
  CodingSession,
  Rating,
  RecordedFeedback,
  SessionMode,
  TrustState,
} from "@acumen/agent";
import type { Logger } from "@acumen/core";
import type { ThoughtLevel } from "@acumen/models";

/** A model that a host can choose. */
export interface ModelChoice {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

/** What the settings of a folder say for a session that begins there. */
export interface SessionChoice {
  /** Undefined: nobody chose one. */
  readonly model: string | undefined;
  /** Undefined: the agent's default. */
  readonly mode: SessionMode | undefined;
  /** What to set before that model can be asked, or any when none is chosen; absent: nothing is missing. */
  readonly missingCredentials?: string;
  /** One that the model has. Absent: the model's default. */
  readonly thoughtLevel?: ThoughtLevel;
}

/** What is known before the agent is loaded. */
export interface HostFacts {
  /** The model takes images. It is told before any folder is named, so it follows the model that holds in all of them. */
  readonly image: boolean;
  /** What to set before that model can be asked, or any when none is chosen; absent: nothing is missing. */
  readonly missingCredentials?: string;
}

/** Which folders may bring settings, MCP servers and skills. */
interface FolderTrust {
  /** Settings that no session could begin with are a problem too. @throws AGENT_WORKSPACE_INVALID */
  check(cwd: string): Promise<TrustState>;
  /** Trusts what was looked at and nothing else. @throws coded errors, also where the process is a child of the agent */
  trust(cwd: string, options: { readonly digest: string }): Promise<unknown>;
}

/** The agent with what only the composition root knows. */
export interface HostedAgent {
  readonly agent: CodingAgent;
  /** @throws coded errors: settings that cannot be used, a folder that is none */
  choose(cwd: string): Promise<SessionChoice>;
  /** Those that a host may choose, in the order in which they are shown. */
  models(): Promise<readonly ModelChoice[]>;
  /** Sessions have the MCP servers of machine and workspace beside those of their host. Default true. */
  readonly inheritMcp?: boolean;
  /** Refuses a mode that this process may not hand out, chosen or stored. Absent: it may hand out any. @throws coded errors */
  checkMode?(mode: SessionMode): void;
  /**
   * Takes a person's rating of the last finished turn: records it as FEEDBACK and asks no model. What it teaches is learned
   * afterwards, as the settings say.
   * Absent: turns are not rated here.
   * @throws AGENT_FEEDBACK_INVALID and other coded errors; the abort's error
   */
  rate?(
    session: CodingSession,
    rating: Rating,
    text: string,
    signal: AbortSignal,
  ): Promise<RecordedFeedback>;
  /** Absent: nothing can be trusted from here. */
  readonly trust?: FolderTrust;
}

/** What the composition root brings. */
export interface AgentServerOptions {
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  /** Answers `initialize`, so it loads as little as can be. */
  readonly greet: () => Promise<HostFacts>;
  /**
   * Called after `initialize` was answered, because loading takes longer than a host should wait, and then for each request that
   * needs an agent. Gives the same one as long as settings and keys are the same; sessions of a former one go on.
   */
  readonly open: () => Promise<HostedAgent>;
  readonly logger?: Logger;
}
