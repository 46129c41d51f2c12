import { createStderrLogger, systemClock } from "@acumen/core";
import { openSqliteStore } from "@acumen/facade";
import type { CommandContext } from "../command-context.ts";
import { refuseAgent } from "../refuse-agent.ts";
import { closeInTime } from "../serve/close-in-time.ts";
import { type FacadeFlags, openFacade } from "../serve/open-facade.ts";
import { databasePath } from "../serve/tokens.ts";
import type { PlanClient } from "./plan-client.ts";
import { textOf } from "./plan-facts.ts";

/**
 * Plans of this machine's database, worked on by this process for as long as it lives.
 * @throws CLI_REFUSED_TO_AGENT, as {@link openFacade}; FACADE_CONFIGURATION_ERROR naming the pid when a server has the database
 */
export async function localPlans(context: CommandContext, flags: FacadeFlags): Promise<PlanClient> {
  const { environment } = context;
  // Here everything is allowed that a token with all scopes allows.
  refuseAgent(environment.variables, "acumen plan --local");
  const logger = createStderrLogger({ name: "acumen", level: environment.logLevel });
  const store = await openSqliteStore(databasePath(environment.variables), {
    clock: systemClock,
    logger,
  });
  let opened: Awaited<ReturnType<typeof openFacade>>;
  try {
    opened = await openFacade(environment, flags, store);
  } catch (error) {
    await store.close();
    throw error;
  }
  const { facade } = opened;
  return {
    dispatch: (request) => facade.dispatch(request),
    async *events(planId, signal) {
      const params = { plan_id: planId };
      const { data } = await facade.dispatch({ operation: "event.subscribe", params });
      yield* facade.events(textOf(data["subscription_id"]), { signal });
    },
    [Symbol.asyncDispose]: () => closeInTime(opened, context),
  };
}
