import { AcpHttpTransport } from "@acumen/facade";
import type { CommandContext } from "../command-context.ts";
import { cliError } from "../errors.ts";
import { localPlans } from "./local-plans.ts";
import type { PlanClient } from "./plan-client.ts";
import type { PlanFlags } from "./plan-flags.ts";

const DEFAULT_URL = "http://127.0.0.1:4747";

/** @throws CLI_USAGE without a token; FACADE_NOT_AVAILABLE when no server answers; as {@link localPlans} */
export async function openPlans(context: CommandContext, flags: PlanFlags): Promise<PlanClient> {
  if (flags.local === true) return localPlans(context, flags);
  const { variables } = context.environment;
  const url = variables["ACUMEN_URL"]?.trim() || DEFAULT_URL;
  const token = variables["ACUMEN_TOKEN"]?.trim() ?? "";
  if (token === "") {
    throw cliError(
      "CLI_USAGE",
      "No token: set ACUMEN_TOKEN to what `acumen serve` printed or `acumen token create` makes, or use --local.",
    );
  }
  const transport = new AcpHttpTransport({ token });
  await transport.connect(url);
  return {
    dispatch: (request) => transport.send(request),
    events: (planId, signal) => transport.events({ plan_id: planId, signal }),
    [Symbol.asyncDispose]: () => transport.disconnect(),
  };
}
