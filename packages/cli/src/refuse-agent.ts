import type { SessionMode } from "@acumen/agent";
import { cliError } from "./errors.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** This process is a child of the agent, whatever value its children see in ACUMEN_AGENT. */
export function isAgent({ ACUMEN_AGENT: agent }: Variables): boolean {
  return agent !== undefined && agent !== "";
}

/**
 * What grants rights is out of the agent's reach.
 * @throws CLI_REFUSED_TO_AGENT
 */
export function refuseAgent(variables: Variables, command: string): void {
  if (!isAgent(variables)) return;
  throw cliError(
    "CLI_REFUSED_TO_AGENT",
    `\`${command}\` is not for the agent (ACUMEN_AGENT is set). Run it in a terminal of your own.`,
  );
}

/**
 * An agent that asks for everything could otherwise start one that asks for nothing, also by a person's own setting.
 * @throws CLI_REFUSED_TO_AGENT for `auto`
 */
export function refuseAuto(variables: Variables, mode: SessionMode | undefined): void {
  if (mode !== "auto" || !isAgent(variables)) return;
  throw cliError(
    "CLI_REFUSED_TO_AGENT",
    "Mode auto is not for the agent (ACUMEN_AGENT is set). Name another one with --mode.",
  );
}
