import { AcumenError } from "@acumen/core";
import { languageModel } from "../agent/language-model.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { keyStateOf } from "../settings/model-environment.ts";
import { providerOf } from "../settings/model-name.ts";

/** What to set before any model can be asked; undefined when nothing is missing. Loads no agent and no provider. */
export function missingCredentials(loaded: LoadedSettings): string | undefined {
  const { model, settingsFault, credentialsFault } = loaded;
  // Whoever cannot read the settings does not know what is missing; a session says what is wrong with them.
  if (settingsFault !== undefined) return undefined;
  try {
    const row = providerOf(languageModel(model));
    if (row === undefined || keyStateOf(row, loaded).source !== "missing") return undefined;
    if (credentialsFault !== undefined) return credentialsFault.message;
    const [variable = "its variable"] = row.keyVariables;
    return `${row.title} needs a key: run \`acumen setup\`, or set ${variable}.`;
  } catch (error) {
    if (AcumenError.isInstance(error)) return error.message;
    throw error;
  }
}
