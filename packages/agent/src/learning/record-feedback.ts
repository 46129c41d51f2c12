import type { LearningMode } from "../settings/agent-settings.ts";
import { type FeedbackOptions, type FeedbackResult, giveFeedback } from "./give-feedback.ts";

export interface RecordedFeedback {
  readonly turnId: string;
  readonly mode: LearningMode;
  /** Learns from the rating. Absent: nothing is learned. @throws as `giveFeedback` does */
  readonly learn?: (signal: AbortSignal) => Promise<FeedbackResult>;
}

/**
 * Records a rating and asks no model: what it teaches can be learned when nobody waits.
 * @throws AGENT_FEEDBACK_INVALID; CORE_ABORTED
 */
export async function recordFeedback(options: FeedbackOptions): Promise<RecordedFeedback> {
  const { learning, record } = options;
  const { mode } = learning;
  const { turnId } = await giveFeedback({ ...options, learning: { ...learning, mode: "off" } });
  if (mode === "off") return { turnId, mode };
  return {
    turnId,
    mode,
    learn: (signal) =>
      giveFeedback({
        ...options,
        turnId,
        signal,
        // The rating is in the log already; what goes wrong now is not.
        record: async (draft) => {
          if (draft.type !== "FEEDBACK") await record?.(draft);
        },
      }),
  };
}
