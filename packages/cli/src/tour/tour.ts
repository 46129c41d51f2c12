import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dataset } from "./dataset.ts";
import { learnInFirstProcess } from "./learning-stage.ts";
import { jobLines } from "./report.ts";
import { recallInSecondProcess } from "./restart-stage.ts";
import type { Stage } from "./stage.ts";
import { questionOf } from "./ticket.ts";
import type { TourResult } from "./tour-result.ts";
import { largestOverlap } from "./word-overlap.ts";

export type TourOptions = Omit<Stage, "root">;

/**
 * The product's main job from end to end: an exam, lessons and the exam again on one `ace-mcp` process, then the exam once
 * more on a second process that has only the saved skillbook. Both processes have ended when this settles.
 * @throws CLI_SERVER_FAILED, CLI_TOOL_FAILED; the signal's reason after an abort.
 */
export async function runTour(options: TourOptions): Promise<TourResult> {
  const startedAt = performance.now();
  const { terminal, dataset } = options;
  const overlap = overlapOf(dataset);
  terminal.print(...jobLines(terminal, dataset, overlap));
  const root = await mkdtemp(join(tmpdir(), "acumen-tour-"));
  try {
    const stage: Stage = { ...options, root };
    const learning = await learnInFirstProcess(stage);
    const restart = await recallInSecondProcess(stage, learning);
    const seconds = (performance.now() - startedAt) / 1_000;
    return { learning, restart, overlap, seconds };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function overlapOf({ learn, heldOut }: Dataset): number {
  return largestOverlap(heldOut.map(questionOf), learn.map(questionOf));
}
