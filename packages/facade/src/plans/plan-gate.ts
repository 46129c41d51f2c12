import type { Clock } from "@acumen/core";
import type { Scope } from "../access/scope.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import type { Plan } from "./plan.ts";

/** Asks again, at the moment when a plan would go on by itself, whether whoever made it may still do that. */
export class PlanGate {
  readonly #store: Pick<FacadeStore, "token">;
  readonly #clock: Clock;

  constructor(store: Pick<FacadeStore, "token">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @returns why it stays closed, for people; undefined: it opens */
  async closed(plan: Plan, scope: Scope | undefined): Promise<string | undefined> {
    if (scope !== undefined && !plan.scopes.includes(scope)) {
      return `whoever made the plan has not the scope ${scope}`;
    }
    if (plan.token_id === null) return undefined;
    const token = await this.#store.token(plan.token_id);
    if (token === undefined) return "the token that made the plan does not exist any more";
    if (token.revoked_at !== null) return "the token that made the plan was revoked";
    if (token.expires_at !== null && Date.parse(token.expires_at) <= this.#clock.now().getTime()) {
      return "the token that made the plan expired";
    }
    if (scope !== undefined && !token.scopes.includes(scope)) {
      return `the token that made the plan has not the scope ${scope} any more`;
    }
    return undefined;
  }
}
