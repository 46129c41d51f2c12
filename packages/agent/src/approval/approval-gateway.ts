import type { FileDiff, ToolKind } from "../events/event-payloads.ts";
import type { ToolOrigin, ToolRisk } from "../tools/tool.ts";

export const APPROVAL_ANSWERS = [
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
  "cancelled",
] as const;
export type ApprovalAnswer = (typeof APPROVAL_ANSWERS)[number];
export type ApprovalOption = Exclude<ApprovalAnswer, "cancelled">;

/** What a person is asked. Every text is safe to show: control, ANSI, bidi and zero-width characters are visible. */
export interface ApprovalRequest {
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  /** Raw name. */
  readonly tool: string;
  readonly origin: ToolOrigin;
  readonly kind: ToolKind;
  readonly risk: ToolRisk;
  readonly title: string;
  /** The whole command of a shell call. */
  readonly command?: string;
  /** Where the command would run. */
  readonly cwd?: string;
  /** The command would be started and go on running, until it is stopped or the session ends. */
  readonly background?: true;
  /** Resolved absolute paths that the call touches. */
  readonly paths: readonly string[];
  readonly diff: readonly FileDiff[];
  /** The whole input as JSON text. */
  readonly input: string;
  /** `allow_always` is absent where nothing may be remembered (protected files). */
  readonly options: readonly ApprovalOption[];
  /** What "always" would cover, in words. */
  readonly alwaysCovers: string;
  /** Why it is asked, in words: the mode, a rule, a protected file. */
  readonly reason: string;
}

/** Whoever can say yes or no: a terminal, a host, a facade. */
export interface ApprovalGateway {
  /** Resolves `cancelled` (or rejects with the abort's error) when the signal aborts. */
  request(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/** Somebody is there, and does not want to answer. */
export interface Declined {
  readonly declined: true;
}

/** Whoever can answer the model's question; undefined: nobody is there. */
export interface QuestionGateway {
  ask(
    question: {
      readonly sessionId: string;
      readonly callId: string;
      readonly question: string;
      readonly options: readonly string[];
    },
    signal: AbortSignal,
  ): Promise<Declined | string | undefined>;
}
