import type { PracticeRepository } from "../practice/practice-repository.ts";
import type { Stage } from "../stage.ts";
import type { TourOrchestrator } from "./tour-orchestrator.ts";

/** What the parts of the fifth act work with. */
export interface PlansParts {
  readonly stage: Stage;
  readonly repository: PracticeRepository;
  readonly orchestrator: TourOrchestrator;
  readonly sessionId: string;
}
