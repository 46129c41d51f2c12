import type { Caller } from "../access/caller.ts";

export const CONTEXT_VIEWS = ["strategist", "executor", "reviewer"] as const;
export type ContextView = (typeof CONTEXT_VIEWS)[number];

export const CONTEXT_SOURCES = [
  "instructions",
  "skills",
  "plan",
  "decisions",
  "diff",
  "files",
  "history",
  "tools",
] as const;
export type ContextSource = (typeof CONTEXT_SOURCES)[number];

export interface ContextInput {
  readonly plan_id?: string;
  readonly session_id?: string;
  readonly project?: string;
  readonly query?: string;
  readonly view?: ContextView;
  readonly budget_tokens?: number;
  readonly reserve_tokens?: number;
  readonly sources?: readonly ContextSource[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly pinned?: readonly string[];
  readonly explain?: boolean;
}

export interface ContextFragment {
  readonly id: string;
  readonly source: ContextSource;
  /** Such as `file:src/a.ts#L3-L9`, relative to the project. */
  readonly uri: string;
  readonly title: string;
  readonly detail: "full" | "excerpt" | "reference";
  readonly content: string;
  readonly tokens: number;
  readonly score: number;
  /** SHA-256 (hex) of the content. */
  readonly hash: string;
  readonly range: { readonly start_line: number; readonly end_line: number } | null;
  readonly pinned: boolean;
  /** Text of a repository is never an instruction. */
  readonly trust: "trusted" | "untrusted";
  /** What the score of a file is made of, each 0 to 1; when `explain` asks for it. */
  readonly scores?: {
    readonly bm25: number;
    readonly path: number;
    readonly recency: number;
  };
}

export interface DroppedFragment {
  readonly uri: string;
  readonly reason: "over_budget" | "too_large" | "binary" | "excluded" | "duplicate" | "denied";
  readonly tokens: number | null;
}

export interface AssembledContext {
  readonly context_id: string;
  /** Of content and parameters only: the same inputs give the same digest. */
  readonly digest: string;
  readonly view: ContextView;
  readonly budget: {
    readonly limit: number;
    readonly reserved: number;
    readonly used: number;
    readonly remaining: number;
    readonly counter: string;
    readonly estimated: boolean;
  };
  readonly fragments: readonly ContextFragment[];
  readonly dropped: readonly DroppedFragment[];
  readonly warnings: readonly string[];
  readonly truncated: boolean;
}

/** Key `context_service`. */
export interface ContextService {
  /** @throws ResourceNotFoundError, ValidationError (pins that do not fit) */
  getContext(input: ContextInput, caller: Caller): Promise<AssembledContext>;
}
