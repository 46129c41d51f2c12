import { titleLines } from "../report.ts";
import { createPlan, pathsOf, stateOf } from "./applied-plan.ts";
import { fingerprint } from "./fingerprint.ts";
import { factLines } from "./plans-report.ts";
import type { ConstrainedPlan } from "./plans-result.ts";
import type { PlansParts } from "./plans-parts.ts";

const FILE = "lockers.mjs";

/** A plan whose change and somebody else's meet in one line. @throws as `TourOrchestrator.ask` */
export async function conflictWithAPlan(parts: PlansParts): Promise<ConstrainedPlan> {
  const { stage, repository, orchestrator } = parts;
  const { terminal } = stage;
  terminal.print(...titleLines(terminal, "19. A second plan, and somebody who was faster"));
  const hours = (count: number): Promise<void> =>
    repository.commit(FILE, (text) => text.replace(/hours >= \d+/, `hours >= ${count}`));
  await hours(6);
  const planId = await createPlan(parts);
  const executed = await orchestrator.ask("plan.execute", { plan_id: planId, wait: true });
  terminal.print(
    ...factLines(
      terminal,
      `The plan is ${stateOf(executed)}. Before it is applied, a person commits another change of the same line.`,
    ),
  );
  await hours(4);
  const before = await fingerprint(repository.path);
  const answer = await orchestrator.ask("plan.apply", { plan_id: planId });
  const untouched = (await fingerprint(repository.path)) === before;
  const conflicts = pathsOf(answer["conflicts"]);
  const kept = untouched ? "is as it was, byte for byte" : "has changed";
  terminal.print(
    ...factLines(
      terminal,
      `The plan is ${stateOf(answer)}: a conflict in ${conflicts.join(", ")}. The repository ${kept}.`,
    ),
  );
  return { state: stateOf(answer), conflicts, untouched };
}
