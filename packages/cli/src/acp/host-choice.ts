import type { SessionChoice } from "@acumen/acp";
import type { ChosenModel, LoadedSettings } from "../settings/load-settings.ts";
import { EMBEDDED_MODEL } from "../settings/model-name.ts";
import { missingCredentials } from "./missing-credentials.ts";

/** The model of a session that begins in a folder, and what to set before it can be asked. */
export function hostChoice(
  loaded: LoadedSettings,
  model: ChosenModel | undefined,
): Pick<SessionChoice, "missingCredentials" | "model"> {
  const missing = missingCredentials(loaded, model);
  return {
    // It recalls and does not converse, so it is no choice.
    model: model?.id === EMBEDDED_MODEL ? undefined : model?.id,
    ...(missing !== undefined && { missingCredentials: missing }),
  };
}
