import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type PracticePlace, preparePlace } from "../practice/practice-place.ts";
import { PracticeRepository } from "../practice/practice-repository.ts";
import { titleLines } from "../report.ts";
import type { Stage } from "../stage.ts";
import { applyAPlan } from "./applied-plan.ts";
import { conflictWithAPlan } from "./constrained-plan.ts";
import { PlanServer } from "./plan-server.ts";
import { factLines, leftOutLines, plansIntroLines } from "./plans-report.ts";
import type { LeftOut, PlansResult } from "./plans-result.ts";
import type { PlansParts } from "./plans-parts.ts";
import { TourOrchestrator } from "./tour-orchestrator.ts";
import { whatIsMissing } from "./what-is-missing.ts";
import { wireText } from "./wire-text.ts";

/**
 * The fifth act: over HTTP with a token, a plan is made, worked on in a sandbox, reviewed and applied; a second one meets a conflict.
 * Whatever it starts has ended when this settles.
 * @throws CLI_TOUR_FAILED, FACADE_NOT_AVAILABLE; the signal's reason after an abort
 */
export async function orchestratePlans(stage: Stage): Promise<PlansResult | LeftOut> {
  const { terminal, signal } = stage;
  terminal.print(...plansIntroLines(terminal));
  const reason = await whatIsMissing(stage);
  if (reason !== undefined) {
    terminal.print(...leftOutLines(terminal, reason));
    return { leftOut: reason };
  }
  const root = join(stage.root, "plans");
  await mkdir(root);
  const place = await preparePlace({ ...stage, root });
  const repository = await PracticeRepository.create({
    path: place.repository,
    env: place.env,
    ...(signal && { signal }),
  });
  try {
    return await withServer(stage, place, (orchestrator, server) =>
      twoPlans({ stage, repository, orchestrator }, server),
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

type Seen = Omit<PlansResult, "pid" | "exitCode">;

async function twoPlans(
  parts: Omit<PlansParts, "sessionId">,
  { pid, url }: PlanServer,
): Promise<Seen> {
  const { stage, orchestrator } = parts;
  const { terminal } = stage;
  const { session_id: id } = await orchestrator.ask("session.create", { title: "The tour" });
  const sessionId = wireText(id);
  terminal.print(
    ...factLines(terminal, `Process ${pid} serves ${url}; session ${sessionId} is open.`),
  );
  const all = { ...parts, sessionId };
  const { isolation, ...applied } = await applyAPlan(all);
  const constrained = await conflictWithAPlan(all);
  await orchestrator.ask("session.close", { session_id: sessionId, cancel_plans: true });
  return { isolation, applied, constrained };
}

/** The server's process has ended when this settles. */
async function withServer(
  stage: Stage,
  place: PracticePlace,
  work: (orchestrator: TourOrchestrator, server: PlanServer) => Promise<Seen>,
): Promise<PlansResult> {
  const { terminal, signal } = stage;
  terminal.print(...titleLines(terminal, "16. acumen serve, a token and a session"));
  const server = await PlanServer.start(stage, place);
  const { pid } = server;
  let seen: Seen;
  let exitCode: number | null = null;
  try {
    const orchestrator = await TourOrchestrator.connect(server, signal);
    try {
      seen = await work(orchestrator, server);
    } finally {
      await orchestrator.close();
    }
  } finally {
    exitCode = await server.close();
  }
  return { ...seen, pid, exitCode };
}
