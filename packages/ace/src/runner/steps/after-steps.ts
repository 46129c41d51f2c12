import type { Skillbook } from "../../skillbook/skillbook.ts";
import { type CheckpointOptions, writeCheckpoint } from "../checkpoint.ts";
import { learningStep, type LearningStep } from "../learning-fields.ts";

/** Merges near-duplicates after every `interval` samples. */
export function deduplicateStep(
  skillbook: Skillbook,
  interval: number,
): LearningStep<"position", never> {
  return learningStep({
    name: "deduplicate",
    stage: "after",
    requires: ["position"],
    provides: [],
    run: ({ position }) => {
      if (position.overall % interval === 0) skillbook.mergeNearDuplicates();
      return {};
    },
  });
}

/** Saves the book after every `interval` samples. */
export function checkpointStep(
  skillbook: Skillbook,
  { folder, interval }: CheckpointOptions,
): LearningStep<"position", never> {
  return learningStep({
    name: "checkpoint",
    stage: "after",
    requires: ["position"],
    provides: [],
    run: async ({ position }, signal) => {
      if (position.overall % interval === 0) {
        await writeCheckpoint(skillbook, folder, position.overall, signal);
      }
      return {};
    },
  });
}
