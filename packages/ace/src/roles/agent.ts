import type { SkillbookView } from "../skillbook/view.ts";

export interface AgentInput {
  readonly question: string;
  readonly context: string;
  readonly skillbook: SkillbookView;
  readonly reflection?: string;
  readonly signal?: AbortSignal;
}

export interface AgentOutput {
  readonly reasoning: string;
  readonly finalAnswer: string;
  /** Skills that were applied; each was shown to the role. */
  readonly skillIds: readonly string[];
  /** Raw facts of the call (usage, model), if any. */
  readonly raw?: Readonly<Record<string, unknown>>;
}

/** Port: answers a question with the help of the skillbook. */
export interface AgentRole {
  /**
   * True for a role whose answers cost no waiting and gain from every earlier lesson: learning then runs its samples
   * strictly one after the other, whatever `workers` says.
   */
  readonly sequential?: boolean;
  answer(input: AgentInput): Promise<AgentOutput>;
}
