import { AcumenError } from "@acumen/core";
import { cliError } from "../errors.ts";
import { readStoredKeys, type StoredKeys } from "./credentials.ts";
import { type Home, homeOf } from "./home.ts";
import { modelIdFault } from "./model-name.ts";
import { modelEnvironment, type ModelSources } from "./model-environment.ts";
import { readSettingsFile, type SettingsFile } from "./settings-file.ts";
import type { Settings, WorkspaceSettings } from "./settings-schema.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export interface SettingFlags {
  /** `--config`: another settings file. */
  readonly config?: string;
  /** `--model`. */
  readonly model?: string;
}

/** Which layer a value comes from; later ones win. */
export type SettingSource = "settings" | "workspace" | "environment" | "flag";

export interface ChosenModel {
  readonly id: string;
  readonly source: SettingSource;
}

export interface LoadedSettings extends ModelSources {
  readonly home: Home;
  /** Undefined when nobody chose one: commands then say so instead of picking a service that costs money. */
  readonly model: ChosenModel | undefined;
  /** For `resolveModel`. */
  readonly modelVariables: Variables;
  /** Why the stored keys could not be used, for commands that can do without. */
  readonly credentialsFault: AcumenError | undefined;
  /** Only with `tolerant`: why the settings file counts as empty. */
  readonly settingsFault: AcumenError | undefined;
}

export interface LoadOptions {
  /** Go on without a settings file that cannot be used, to look at everything else. */
  readonly tolerant?: boolean;
}

/**
 * What holds in every folder: defaults < settings file < environment < flags. What a trusted workspace brings is laid
 * between by `sessionSettings`.
 * @throws CLI_SETTINGS_FILE_INVALID, CLI_SETTING_INVALID, CLI_USAGE
 */
export async function loadSettings(
  variables: Variables,
  flags: SettingFlags,
  { tolerant = false }: LoadOptions = {},
): Promise<LoadedSettings> {
  const home = homeOf(variables, flags.config);
  const { file, settingsFault } = await settingsFile(home.settingsPath, tolerant);
  const { settings, text } = file;
  if (flags.config !== undefined && text === undefined && settingsFault === undefined) {
    throw cliError("CLI_USAGE", `There is no file ${flags.config}. Check --config.`);
  }
  const { stored, credentialsFault } = await storedKeys(home.credentialsPath);
  const sources: ModelSources = { variables, settings, stored };
  return {
    ...sources,
    home,
    model: chosenModel(variables, flags.model) ?? modelOfFiles(settings, {}),
    modelVariables: modelEnvironment(sources),
    credentialsFault,
    settingsFault,
  };
}

async function settingsFile(
  path: string,
  tolerant: boolean,
): Promise<{ readonly file: SettingsFile; readonly settingsFault: AcumenError | undefined }> {
  try {
    return { file: await readSettingsFile(path), settingsFault: undefined };
  } catch (error) {
    if (!tolerant || !AcumenError.isInstance(error)) throw error;
    return { file: { path, text: undefined, settings: {} }, settingsFault: error };
  }
}

async function storedKeys(
  path: string,
): Promise<{ readonly stored: StoredKeys; readonly credentialsFault: AcumenError | undefined }> {
  try {
    return { stored: await readStoredKeys(path), credentialsFault: undefined };
  } catch (error) {
    if (AcumenError.isInstance(error)) return { stored: {}, credentialsFault: error };
    throw error;
  }
}

/** @throws CLI_USAGE for a flag, CLI_SETTING_INVALID for a variable, naming it */
function chosenModel(variables: Variables, flag: string | undefined): ChosenModel | undefined {
  if (flag !== undefined) {
    const fault = modelIdFault(flag, { files: true });
    if (fault === undefined) return { id: flag, source: "flag" };
    throw cliError("CLI_USAGE", `--model: ${fault}`);
  }
  const variable = variables["ACUMEN_MODEL"]?.trim() ?? "";
  if (variable === "") return undefined;
  const fault = modelIdFault(variable, { files: true });
  if (fault === undefined) return { id: variable, source: "environment" };
  throw cliError("CLI_SETTING_INVALID", `ACUMEN_MODEL: ${fault}`, {
    details: { variable: "ACUMEN_MODEL" },
  });
}

function modelOfFiles(settings: Settings, workspace: WorkspaceSettings): ChosenModel | undefined {
  if (workspace.model !== undefined) return { id: workspace.model, source: "workspace" };
  return settings.model === undefined ? undefined : { id: settings.model, source: "settings" };
}

/** The model of a session in a workspace: what flag and environment say wins over both files. */
export function modelIn(
  { model, settings }: LoadedSettings,
  workspace: WorkspaceSettings,
): ChosenModel | undefined {
  const isSaid = model?.source === "flag" || model?.source === "environment";
  return isSaid ? model : modelOfFiles(settings, workspace);
}
