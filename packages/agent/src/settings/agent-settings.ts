export interface PermissionRules {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export interface TurnLimits {
  /** Model calls in a turn. */
  readonly maxSteps: number;
  /** Automatic continuations in a turn. */
  readonly maxContinuations: number;
  /** Milliseconds of a turn without the time that a person takes; undefined: no limit. */
  readonly wallClockMs?: number;
  /** Input and output tokens of a turn; undefined: no limit. */
  readonly tokenBudget?: number;
}

export const LEARNING_MODES = ["off", "suggest", "auto"] as const;
/** `suggest` keeps new skills apart until a person accepts them; `auto` puts them into the book. */
export type LearningMode = (typeof LEARNING_MODES)[number];

/** What a coding session is told by whoever runs it; read once, at its start. */
export interface AgentSettings {
  readonly limits: TurnLimits;
  readonly permissions: PermissionRules;
  readonly learning: {
    readonly mode: LearningMode;
    /** Model id; default the session's. */
    readonly model?: string;
  };
  /** Variables that children get beside the safe ones. */
  readonly envPass: readonly string[];
}

export const DEFAULT_SETTINGS: AgentSettings = {
  limits: { maxSteps: 100, maxContinuations: 3 },
  permissions: { allow: [], ask: [], deny: [] },
  learning: { mode: "suggest" },
  envPass: [],
};
