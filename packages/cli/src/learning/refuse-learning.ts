import type { LearningMode } from "@acumen/agent";
import { refuseAgent } from "../refuse-agent.ts";

/**
 * With `auto` a rating puts skills into the skillbook, and what is in it steers later sessions: a child of the agent may not rate then.
 * @throws CLI_REFUSED_TO_AGENT
 */
export function refuseLearning(
  variables: Readonly<Record<string, string | undefined>>,
  mode: LearningMode,
): void {
  if (mode === "auto") refuseAgent(variables, "acumen feedback (learning.mode auto)");
}
