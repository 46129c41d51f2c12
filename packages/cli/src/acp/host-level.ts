import type { Logger } from "@acumen/core";
import type { OpenedAgent } from "../agent/open-agent.ts";
import { usableLevel, type UsableLevel } from "../agent/usable-level.ts";
import type { ChosenLevel } from "../settings/session-settings.ts";

/** The thought level of a session that a host begins. One that the model does not have is left out, and logged: hosts have an option for it. */
export async function hostLevel(
  opened: OpenedAgent,
  model: string | undefined,
  chosen: ChosenLevel | undefined,
  logger: Logger,
): Promise<Pick<UsableLevel, "thoughtLevel">> {
  if (model === undefined || chosen === undefined) return {};
  // A model without its key may still get one.
  const found = await opened.resolveModel(model).catch(() => undefined);
  if (found === undefined) return { thoughtLevel: chosen.level };
  const { unused, ...usable } = usableLevel(found, chosen);
  if (unused !== undefined) logger.warn("thought level is not used", { reason: unused });
  return usable;
}
