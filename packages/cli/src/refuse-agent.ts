import { cliError } from "./errors.ts";

/**
 * What grants rights is out of the agent's reach, whatever value its children see in ACUMEN_AGENT.
 * @throws CLI_REFUSED_TO_AGENT
 */
export function refuseAgent(
  { ACUMEN_AGENT: agent }: Readonly<Record<string, string | undefined>>,
  command: string,
): void {
  if (agent === undefined || agent === "") return;
  throw cliError(
    "CLI_REFUSED_TO_AGENT",
    `\`${command}\` is not for the agent (ACUMEN_AGENT is set). Run it in a terminal of your own.`,
  );
}
