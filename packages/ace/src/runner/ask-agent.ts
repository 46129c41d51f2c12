import { isJsonObject } from "@acumen/core";
import { aceError } from "../errors.ts";
import type { AgentInput, AgentOutput, AgentRole } from "../roles/agent.ts";

/**
 * Asks an agent role and checks what it returns; cited ids that are no active skill are dropped.
 * @throws ACE_ROLE_FAILED for an output without texts; whatever the role throws.
 */
export async function askAgent(agent: AgentRole, input: AgentInput): Promise<AgentOutput> {
  const output: unknown = await agent.answer(input);
  const { finalAnswer, reasoning = "", skillIds = [], raw } = isJsonObject(output) ? output : {};
  if (typeof finalAnswer !== "string" || typeof reasoning !== "string") {
    throw aceError(
      "ACE_ROLE_FAILED",
      "The agent role returned no answer. It must resolve to {reasoning, finalAnswer, skillIds}.",
      { details: { step: "agent" } },
    );
  }
  const cited: readonly unknown[] = Array.isArray(skillIds) ? skillIds : [];
  const isActive = (id: unknown): id is string =>
    typeof id === "string" && input.skillbook.get(id)?.status === "active";
  return {
    reasoning,
    finalAnswer,
    skillIds: [...new Set(cited.filter(isActive))],
    ...(isJsonObject(raw) && { raw }),
  };
}
