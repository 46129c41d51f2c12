import type { LearningMode, SessionMode } from "@acumen/agent";
import type { ThoughtLevel } from "@acumen/models/catalogue";

// The agent's own lists, repeated because loading the agent costs every command its start-up time; a test compares them.
export const MODE_NAMES = ["auto", "safe", "manual"] as const satisfies readonly SessionMode[];
export const LEARNING_NAMES = ["off", "suggest", "auto"] as const satisfies readonly LearningMode[];
export const THOUGHT_LEVEL_NAMES = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const satisfies readonly ThoughtLevel[];

export const MAX_STEPS = { least: 1, most: 10_000 } as const;
