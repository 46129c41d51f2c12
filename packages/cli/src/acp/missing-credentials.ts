import { AcumenError } from "@acumen/core";
import { keyHelp, languageModel } from "../agent/language-model.ts";
import type { ChosenModel, LoadedSettings } from "../settings/load-settings.ts";
import { keyStateOf } from "../settings/model-environment.ts";
import { providerOf } from "../settings/model-name.ts";

/**
 * Which key to set before a model can be asked; undefined when none is missing, also when there are keys and nobody chose a model: a
 * session says that. Loads no agent and no provider.
 * @param model default: the one that holds in every folder
 */
export function missingCredentials(
  loaded: LoadedSettings,
  model: ChosenModel | undefined = loaded.model,
): string | undefined {
  const { settingsFault, credentialsFault } = loaded;
  // Whoever cannot read the settings does not know what is missing; a session says what is wrong with them.
  if (settingsFault !== undefined) return undefined;
  try {
    const row = providerOf(languageModel(model));
    if (row === undefined || keyStateOf(row, loaded).source !== "missing") return undefined;
    if (credentialsFault !== undefined) return credentialsFault.message;
    const [variable = "its variable"] = row.keyVariables;
    return `${row.title} needs a key: run \`acumen setup\`, or set ${variable}.`;
  } catch (error) {
    if (!AcumenError.isInstance(error)) throw error;
    return keyHelp(error, loaded).length === 0 ? undefined : error.message;
  }
}
