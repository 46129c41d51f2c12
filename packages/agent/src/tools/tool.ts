import type { ContentBlock } from "../content/content-block.ts";
import type {
  FileDiff,
  FileLocation,
  PlanEntry,
  SeenFile,
  ToolKind,
} from "../events/event-payloads.ts";

/** What a call can do, worst case. `network` is for tools that reach other machines. */
export const TOOL_RISKS = ["read", "write", "execute", "network"] as const;
export type ToolRisk = (typeof TOOL_RISKS)[number];

export type ToolOrigin =
  | { readonly type: "builtin" }
  | {
      readonly type: "mcp";
      readonly server: string;
      /** SHA-256 over definition, name, description, schema and annotations: a changed tool is another tool. */
      readonly identity: string;
      /** The tool says that it only reads, and the definition says that this server is to be believed. */
      readonly trustedReadOnly: boolean;
    };

/** JSON Schema of an object. */
export type ToolInputSchema = Readonly<Record<string, unknown>>;

/** What a call touches, for rules and remembered decisions to be compared with. */
export type CallSubject =
  | { readonly type: "none" }
  | {
      readonly type: "command";
      readonly command: string;
      readonly cwd: string;
      /** It is not waited for and goes on running. */
      readonly background?: true;
    }
  /** Absolute paths after resolving every link. */
  | {
      readonly type: "files";
      readonly access: "read" | "write";
      readonly paths: readonly string[];
    };

/** What is known about a call before it runs: shown, asked for, and compared with rules. */
export interface CallPreview {
  readonly title: string;
  /** Of this call; a tool may be milder than its worst case. */
  readonly risk: ToolRisk;
  readonly subject: CallSubject;
  readonly locations: readonly FileLocation[];
  readonly diff: readonly FileDiff[];
}

/** A failure is a value for the model, and status `failed` for whoever watches. */
export interface ToolOutcome {
  readonly status: "completed" | "failed";
  readonly output: readonly ContentBlock[];
  readonly exitCode?: number;
  readonly truncated?: boolean;
  readonly diff?: readonly FileDiff[];
  /** Files whose content the model knows by now: a later change by somebody else is none of its own. */
  readonly seen?: readonly SeenFile[];
  /** `update_plan`: the whole new plan. */
  readonly plan?: readonly PlanEntry[];
  /** `ask_user` found nobody: the turn ends BLOCKED `question`. */
  readonly unanswered?: string;
}

export interface RunContext {
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  /** Seq of the TOOL_CALL event. */
  readonly seq: number;
  readonly signal: AbortSignal;
  /** Output while it streams. */
  readonly onOutput?: (text: string) => void;
}

/** A call that was validated and looked at, and changed nothing yet. */
export interface PreparedCall {
  readonly ok: true;
  readonly preview: CallPreview;
  /** Checks first that what the preview showed still holds. Rejects only for faults and with the abort's error. */
  run(context: RunContext): Promise<ToolOutcome>;
}

/** A call that cannot run: bad input, a missing file, a boundary. `message` says what was expected. */
export interface RefusedCall {
  readonly ok: false;
  readonly message: string;
  /** Shown with the call; default the tool's name. */
  readonly title?: string;
  readonly locations?: readonly FileLocation[];
}

export interface PrepareContext {
  readonly signal: AbortSignal;
}

/** One function of the model, whatever its origin. `prepare` then (approved) `run` of what it returned. */
export interface Tool {
  /** Raw name. */
  readonly name: string;
  readonly origin: ToolOrigin;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
  /** What a server says of results, for whoever lists tools; models are not told. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly kind: ToolKind;
  /** Worst case. */
  readonly risk: ToolRisk;
  /** `input` is what the model wrote, parsed as JSON (the raw string when it was none). */
  prepare(input: unknown, context: PrepareContext): Promise<PreparedCall | RefusedCall>;
}
