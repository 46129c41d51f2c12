import { join } from "node:path";
import { ValidationError } from "../errors/domain-error.ts";

const PLAN_ID = /^[0-9A-Za-z_-]{1,64}$/;

/** Where everything of one plan lies that is not the user's. */
export class PlanFolder {
  readonly path: string;
  readonly planId: string;

  constructor(root: string, planId: string) {
    if (!PLAN_ID.test(planId)) {
      throw new ValidationError(`${JSON.stringify(planId)} is no id of a plan.`);
    }
    this.planId = planId;
    this.path = join(root, planId);
  }

  /** The git folder of ours: no command of the plan can reach it. */
  get gitDir(): string {
    return join(this.path, "repository");
  }

  /** What a later process must know to clean up. */
  get facts(): string {
    return join(this.path, "plan.json");
  }

  /** What was being written to a plain folder. */
  get journal(): string {
    return join(this.path, "journal");
  }

  attempt(attempt: number): AttemptFolder {
    return attemptFolder(join(this.path, String(attempt)));
  }
}

/** A work tree with what belongs to it. */
export interface AttemptFolder {
  readonly path: string;
  /** All that commands may write, with {@link AttemptFolder.temp}. */
  readonly work: string;
  readonly temp: string;
  readonly index: string;
}

export function attemptFolder(path: string): AttemptFolder {
  return {
    path,
    work: join(path, "work"),
    temp: join(path, "tmp"),
    index: join(path, "index"),
  };
}

export function branchOf(planId: string, attempt: number): string {
  return `acumen/${planId}/${attempt}`;
}
