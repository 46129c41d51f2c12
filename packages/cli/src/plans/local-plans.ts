import { createStderrLogger, systemClock } from "@acumen/core";
import { LOCAL_PRINCIPAL, openSqliteStore } from "@acumen/facade";
import type { CommandContext } from "../command-context.ts";
import { type FacadeFlags, openFacade } from "../serve/open-facade.ts";
import { databasePath } from "../serve/tokens.ts";
import type { PlanClient } from "./plan-client.ts";

/**
 * Plans of this machine's database, worked on by this process for as long as it lives.
 * @throws as {@link openFacade}; FACADE_CONFIGURATION_ERROR naming the pid when a server has the database
 */
export async function localPlans(
  { environment }: CommandContext,
  flags: FacadeFlags,
): Promise<PlanClient> {
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
  const { facade, local } = opened;
  const principal = LOCAL_PRINCIPAL;
  return {
    where: "this process",
    dispatch: (request) => facade.dispatch(request),
    async *events(planId, signal) {
      const { subscription_id: id } = await local.queue.open({ planId }, { principal });
      yield* local.queue.events(id, { principal, signal });
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
