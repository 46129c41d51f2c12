import type { Model, ThoughtLevel } from "@acumen/models";
import type { SettingSource } from "../settings/load-settings.ts";
import type { ChosenLevel } from "../settings/session-settings.ts";

const SOURCE_NAMES: Readonly<Record<SettingSource, string>> = {
  settings: "the settings file",
  workspace: "the workspace's settings",
  environment: "ACUMEN_THOUGHT_LEVEL",
  flag: "--thought-level",
};

export interface UsableLevel {
  /** Absent: the model's default. */
  readonly thoughtLevel?: ThoughtLevel;
  /** Why the chosen one does not count; a clause without its end. */
  readonly unused?: string;
}

/** The level of a new session: settings choose it for whatever model, and one that does not have it thinks as it does by default. */
export function usableLevel(model: Model, chosen: ChosenLevel | undefined): UsableLevel {
  if (chosen === undefined) return {};
  const { level, source } = chosen;
  const { id, capabilities } = model;
  return capabilities.thoughtLevels?.includes(level) === true
    ? { thoughtLevel: level }
    : {
        unused: `${id} has no thought level ${level} (from ${SOURCE_NAMES[source]}), its default holds`,
      };
}
