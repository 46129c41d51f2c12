import { AuthorizationError } from "../errors/domain-error.ts";
import type { Project } from "../sandbox/sandboxes.ts";
import type { ActiveRun } from "./active-runs.ts";
import type { PlanGate } from "./plan-gate.ts";
import { changed, moved, type PlanChange, stateChanged } from "./plan-move.ts";
import type { PlanParts } from "./plan-parts.ts";
import type { Plan } from "./plan.ts";
import { PROFILES } from "./profile.ts";
import { WAITING } from "./waiting.ts";

export function isReady({ state, waiting_for }: Plan): boolean {
  return state === "queued" && waiting_for === null;
}

/** Whether the phase was reached by the profile alone, so that the gate counts. */
function isUnasked({ phase, execute_requested, apply_request }: Plan): boolean {
  if (phase === "execute") return !execute_requested;
  return phase === "apply" && apply_request === null;
}

/** A worker takes a plan, or finds what it has to wait for. */
export class PlanClaim {
  readonly #parts: PlanParts;
  readonly #gate: PlanGate;

  constructor(parts: PlanParts, gate: PlanGate) {
    this.#parts = parts;
    this.#gate = gate;
  }

  /** @returns undefined when there is nothing to do (yet) */
  async take(run: ActiveRun): Promise<Plan | undefined> {
    const { records } = this.#parts;
    const seen = await records.get(run.key);
    if (!isReady(seen)) return undefined;
    const obstacle = await this.#obstacle(seen);
    const plan = await records.update(run.key, (now) => {
      if (!isReady(now)) return undefined;
      return obstacle === undefined ? this.#taken(now, run) : this.wait(now, obstacle);
    });
    return plan.worker === run.worker ? plan : undefined;
  }

  /** The plan stays where it is until somebody calls. */
  wait(plan: Plan, waiting_for: string): PlanChange {
    const next = changed(plan, { waiting_for }, this.#parts.clock.now());
    return { plan: next, drafts: [stateChanged(next, plan)] };
  }

  async #obstacle(plan: Plan): Promise<string | undefined> {
    const { phase, profile } = plan;
    if (phase !== "apply" && this.#parts.executor() === undefined) return WAITING.executor;
    if (!isUnasked(plan)) return undefined;
    const reason = await this.#gate.closed(plan, PROFILES[profile.name].scope);
    if (reason === undefined) return undefined;
    return `${phase === "apply" ? WAITING.apply : WAITING.execute} (${reason})`;
  }

  #taken(plan: Plan, { worker }: ActiveRun): PlanChange {
    const next = moved(
      plan,
      "take",
      { worker, runs: plan.runs + 1, waiting_for: null, pending_approvals: [] },
      this.#parts.clock.now(),
    );
    return { plan: next, drafts: [stateChanged(next, plan)] };
  }

  /**
   * The project as it is now: it may not be served or trusted any more.
   * @throws ResourceNotFoundError, AuthorizationError
   */
  async project({ project, action }: Plan): Promise<Project> {
    const now = await this.#parts.projects.find(project.path);
    if (now.trusted || (action.source === "builtin" && action.validations.length === 0)) return now;
    throw new AuthorizationError(
      `The project ${now.path} is not trusted any more, so that neither the action ${action.name} nor its validations may run there. Trust it (acumen trust ${now.path}) and retry the plan.`,
      { details: { project: now.path, action: action.name } },
    );
  }
}
