import { gainPoints } from "./accuracy.ts";
import type { Dataset } from "./dataset.ts";
import type { TourResult } from "./tour-result.ts";

/**
 * The result as one JSON object for machines: accuracies and overlap 0 … 1, gains in percentage points, times in the unit of
 * their name.
 */
export function summaryOf(
  { learn, heldOut, queues }: Dataset,
  { learning, restart, overlap, seconds }: TourResult,
  failures: readonly string[],
): Readonly<Record<string, unknown>> {
  const { before, after, majority, shuffled, lessons } = learning;
  return {
    type: "result",
    command: "tour",
    passed: failures.length === 0,
    failures,
    seconds: rounded(seconds, 1),
    tickets: {
      learned: learn.length,
      held_out: heldOut.length,
      queues: queues.length,
      max_word_overlap: rounded(overlap, 3),
    },
    accuracy: {
      before: rounded(before.accuracy, 3),
      after: rounded(after.accuracy, 3),
      majority_class: rounded(majority.accuracy, 3),
      shuffled_labels: rounded(shuffled.accuracy, 3),
      before_feedback: rounded(lessons.whileWorking.accuracy, 3),
      after_restart: rounded(restart.score.accuracy, 3),
    },
    gain_points: {
      over_majority_class: gainPoints(after, majority),
      over_shuffled_labels: gainPoints(after, shuffled),
    },
    failed_samples: lessons.failed,
    skills: {
      saved: learning.savedSkills,
      loaded: restart.loadedSkills,
      unchanged: restart.keptSkills,
    },
    answers: { compared: learning.answers.length, identical: restart.identicalAnswers },
    ask_ms_median: rounded(learning.askMs, 2),
    servers: [learning.server, restart.server],
  };
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
