import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dataset } from "./dataset.ts";
import { practise } from "./practice/practice-stage.ts";
import { driveFromAnEditor } from "./host/host-stage.ts";
import { learnInFirstProcess } from "./learning-stage.ts";
import { actLines, jobLines } from "./report.ts";
import { orchestratePlans } from "./plans/plans-stage.ts";
import { useServers } from "./servers/servers-stage.ts";
import { recallInSecondProcess } from "./restart-stage.ts";
import type { Stage } from "./stage.ts";
import { questionOf } from "./ticket.ts";
import type { TourResult } from "./tour-result.ts";
import { largestOverlap } from "./word-overlap.ts";

export type TourOptions = Omit<Stage, "root">;
type FirstAct = Pick<TourResult, "learning" | "overlap" | "restart">;

/**
 * The product's main job from end to end, in five acts: an agent learns through `ace-mcp`, the coding agent mends a test
 * and learns from it, it uses an MCP server's tools next to its own, an editor drives it, and an orchestrator has it
 * work on plans. Every process has ended, and everything written is gone, when this settles.
 * @throws CLI_SERVER_FAILED, CLI_TOOL_FAILED, CLI_TOUR_FAILED; the signal's reason after an abort.
 */
export async function runTour(options: TourOptions): Promise<TourResult> {
  const startedAt = performance.now();
  return withRoot(options, async (stage) => {
    const { terminal } = stage;
    terminal.print(...actLines(terminal, "Act one: an agent learns to route support tickets"));
    const first = await learnAndRecall(stage);
    terminal.print("", ...actLines(terminal, "Act two: the coding agent mends a test and learns"));
    const practice = await practise(stage);
    terminal.print("", ...actLines(terminal, "Act three: the tools of another program"));
    const servers = await useServers(stage);
    terminal.print("", ...actLines(terminal, "Act four: an editor drives the coding agent"));
    const host = await driveFromAnEditor(stage);
    terminal.print("", ...actLines(terminal, "Act five: an orchestrator plans over HTTP"));
    const plans = await orchestratePlans(stage);
    const seconds = (performance.now() - startedAt) / 1_000;
    return { ...first, practice, servers, host, plans, seconds };
  });
}

/** The first act alone. */
export function runFirstAct(options: TourOptions): Promise<FirstAct> {
  return withRoot(options, learnAndRecall);
}

/**
 * An exam, lessons and the exam again on one `ace-mcp` process, then the exam once more on a second process that has only
 * the saved skillbook.
 */
async function learnAndRecall(stage: Stage): Promise<FirstAct> {
  const { terminal, dataset } = stage;
  const overlap = overlapOf(dataset);
  terminal.print(...jobLines(terminal, dataset, overlap));
  const learning = await learnInFirstProcess(stage);
  const restart = await recallInSecondProcess(stage, learning);
  return { learning, restart, overlap };
}

async function withRoot<T>(options: TourOptions, work: (stage: Stage) => Promise<T>): Promise<T> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "acumen-tour-")));
  try {
    return await work({ ...options, root });
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

function overlapOf({ learn, heldOut }: Dataset): number {
  return largestOverlap(heldOut.map(questionOf), learn.map(questionOf));
}
