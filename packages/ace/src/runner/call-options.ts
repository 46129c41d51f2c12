import type { HandleCheck } from "@acumen/core";
import type { TaskEnvironment } from "../evaluation/evaluation.ts";
import type { SkillOrigin } from "../skillbook/source.ts";
import type { LearnProgress } from "./reports.ts";

export interface AskOptions {
  readonly context?: string;
  readonly signal?: AbortSignal;
}

export interface LearnOptions {
  /** For this call only. Default: the runner's. */
  readonly environment?: TaskEnvironment;
  /** Passes over the samples. Default 1. */
  readonly epochs?: number;
  /** For this call only. Default: the runner's. */
  readonly workers?: number;
  readonly signal?: AbortSignal;
  /** Must not throw; a listener that does is ignored. */
  readonly onProgress?: (progress: LearnProgress) => void;
}

export interface LearnTracesOptions extends LearnOptions {
  /** Recorded with every skill. Default `trace`. */
  readonly origin?: SkillOrigin;
}

export interface BookFileOptions {
  readonly signal?: AbortSignal;
  /** Looks at the open file before the first byte moves; throws to refuse it. */
  readonly check?: HandleCheck;
}

/** A model id per role. */
export interface RoleModels {
  readonly agent: string;
  readonly reflector: string;
  readonly skillManager: string;
}
