import type { AgentSettings, LearningMode, SessionMode } from "@acumen/agent";
import type { ThoughtLevel } from "@acumen/models/catalogue";
import { cliError } from "../errors.ts";
import type { LoadedSettings, SettingSource } from "./load-settings.ts";
import { LEARNING_NAMES, MAX_STEPS, MODE_NAMES, THOUGHT_LEVEL_NAMES } from "./session-names.ts";
import type { WorkspaceSettings } from "./settings-schema.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What flags say about sessions; checked already. */
export interface SessionFlags {
  readonly mode?: SessionMode;
  readonly thoughtLevel?: ThoughtLevel;
  readonly maxSteps?: number;
}

/** What was chosen for whatever model; not each one has it. */
export interface ChosenLevel {
  readonly level: ThoughtLevel;
  readonly source: SettingSource;
}

/** What settings decide about the sessions of one workspace. */
export interface SessionSettings {
  /** Undefined when nobody chose one. */
  readonly mode: SessionMode | undefined;
  readonly thoughtLevel: ChosenLevel | undefined;
  readonly agent: AgentSettings;
}

/** What the environment says about sessions. */
interface SessionVariables extends SessionFlags {
  readonly learning?: LearningMode;
}

/**
 * Defaults < settings file < workspace (empty unless trusted) < environment < flags. A workspace can only narrow: its
 * rules are added to the user's own, and of two limits the lower one holds.
 * @throws CLI_SETTING_INVALID naming the variable and the accepted values
 */
export function sessionSettings(
  { settings, variables }: Pick<LoadedSettings, "settings" | "variables">,
  workspace: WorkspaceSettings,
  flags: SessionFlags,
  defaults: AgentSettings,
): SessionSettings {
  const said = sessionVariables(variables);
  const maxSteps = flags.maxSteps ?? said.maxSteps;
  const own = settings.permissions ?? {};
  const repository = workspace.permissions ?? {};
  return {
    mode: flags.mode ?? said.mode ?? settings.mode,
    thoughtLevel: chosenLevel({ flag: flags, environment: said, workspace, settings }),
    agent: {
      limits: {
        ...narrowed({ ...defaults.limits, ...settings.limits }, workspace.limits),
        ...(maxSteps !== undefined && { maxSteps }),
      },
      permissions: {
        allow: [...defaults.permissions.allow, ...(own.allow ?? [])],
        ask: [...defaults.permissions.ask, ...(own.ask ?? []), ...(repository.ask ?? [])],
        deny: [...defaults.permissions.deny, ...(own.deny ?? []), ...(repository.deny ?? [])],
      },
      learning: {
        ...defaults.learning,
        ...settings.learning,
        ...(said.learning !== undefined && { mode: said.learning }),
      },
      envPass: [...defaults.envPass, ...(settings.env?.pass ?? [])],
    },
  };
}

/** From the layer that wins. */
function chosenLevel(
  layers: Readonly<Record<SettingSource, { readonly thoughtLevel?: ThoughtLevel }>>,
): ChosenLevel | undefined {
  for (const source of ["flag", "environment", "workspace", "settings"] as const) {
    const { thoughtLevel: level } = layers[source];
    if (level !== undefined) return { level, source };
  }
  return undefined;
}

function narrowed(
  own: AgentSettings["limits"],
  workspace: NonNullable<WorkspaceSettings["limits"]> = {},
): AgentSettings["limits"] {
  const { maxSteps, maxContinuations, wallClockMs, tokenBudget } = workspace;
  const wallClock = least(own.wallClockMs, wallClockMs);
  const tokens = least(own.tokenBudget, tokenBudget);
  return {
    maxSteps: least(own.maxSteps, maxSteps) ?? own.maxSteps,
    maxContinuations: least(own.maxContinuations, maxContinuations) ?? own.maxContinuations,
    ...(wallClock !== undefined && { wallClockMs: wallClock }),
    ...(tokens !== undefined && { tokenBudget: tokens }),
  };
}

function least(...limits: readonly (number | undefined)[]): number | undefined {
  const set = limits.filter((limit) => limit !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

function sessionVariables(variables: Variables): SessionVariables {
  const mode = oneOf(variables, "ACUMEN_MODE", MODE_NAMES);
  const thoughtLevel = oneOf(variables, "ACUMEN_THOUGHT_LEVEL", THOUGHT_LEVEL_NAMES);
  const learning = oneOf(variables, "ACUMEN_LEARNING", LEARNING_NAMES);
  const maxSteps = maxStepsOf(variables);
  return {
    ...(mode !== undefined && { mode }),
    ...(thoughtLevel !== undefined && { thoughtLevel }),
    ...(learning !== undefined && { learning }),
    ...(maxSteps !== undefined && { maxSteps }),
  };
}

function oneOf<Name extends string>(
  variables: Variables,
  variable: string,
  names: readonly Name[],
): Name | undefined {
  const text = variables[variable]?.trim() ?? "";
  if (text === "") return undefined;
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw invalid(variable, text, `one of ${names.join(", ")}`);
}

function maxStepsOf(variables: Variables): number | undefined {
  const text = variables["ACUMEN_MAX_STEPS"]?.trim() ?? "";
  if (text === "") return undefined;
  const { least, most } = MAX_STEPS;
  if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw invalid("ACUMEN_MAX_STEPS", text, `a whole number from ${least} to ${most}`);
}

function invalid(variable: string, text: string, accepted: string): Error {
  return cliError("CLI_SETTING_INVALID", `${variable} is "${text}"; it must be ${accepted}.`, {
    details: { variable },
  });
}
