import { AcpHttpTransport } from "@acumen/facade";
import type { CommandContext } from "../command-context.ts";
import { cliError } from "../errors.ts";
import { localPlans } from "./local-plans.ts";
import type { PlanClient } from "./plan-client.ts";
import type { PlanFlags } from "./plan-flags.ts";

/** What a header can carry. */
const TOKEN = /^[\u{21}-\u{7E}]+$/u;

const DEFAULT_URL = "http://127.0.0.1:4747";

/** @throws CLI_USAGE without a token, or with what is none; FACADE_NOT_AVAILABLE when no server answers; as {@link localPlans} */
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
  checkToken(token);
  const transport = new AcpHttpTransport({ token });
  await transport.connect(url);
  return {
    dispatch: (request) => transport.send(request),
    events: (planId, signal) => transport.events({ plan_id: planId, signal }),
    [Symbol.asyncDispose]: () => transport.disconnect(),
  };
}

/** Whoever sets a variable to the output of a command may have set it to more than the token. */
function checkToken(token: string): void {
  if (TOKEN.test(token)) return;
  const what = /[\r\n]/.test(token)
    ? "several lines"
    : "characters that no token has, such as a space";
  throw cliError(
    "CLI_USAGE",
    `ACUMEN_TOKEN has ${what}; it must be one token (acm_…) alone, as \`acumen token create\` prints it.`,
  );
}
