import { AcumenError } from "@acumen/core";
import { PROVIDERS } from "@acumen/models/catalogue";
import { cliError } from "../errors.ts";
import type { ChosenModel, LoadedSettings } from "../settings/load-settings.ts";
import { keyStateOf, NO_KEY_LINES } from "../settings/model-environment.ts";
import { EMBEDDED_MODEL } from "../settings/model-name.ts";

/**
 * The id of the model that a turn is for.
 * @throws CLI_NO_MODEL when none is chosen, or one that recalls and does not converse
 */
export function languageModel(model: ChosenModel | undefined): string {
  if (model === undefined) {
    throw cliError(
      "CLI_NO_MODEL",
      "No model is chosen. Name one with --model or ACUMEN_MODEL, or run `acumen setup`; `acumen models` lists them.",
    );
  }
  if (model.id !== EMBEDDED_MODEL) return model.id;
  throw cliError(
    "CLI_NO_MODEL",
    `${EMBEDDED_MODEL} recalls lessons and is no language model. Name another one with --model, or run \`acumen setup\`.`,
  );
}

/** How to get a key, for errors that come from having none. */
export function keyHelp(error: unknown, loaded: LoadedSettings | undefined): readonly string[] {
  if (!AcumenError.isInstance(error)) return [];
  if (error.code === "CLI_NO_MODEL") {
    const hasKey =
      loaded !== undefined && PROVIDERS.some((row) => "variable" in keyStateOf(row, loaded));
    return hasKey ? [] : NO_KEY_LINES;
  }
  const { kind, status } = error.details;
  const isUnbuilt = error.code === "MODEL_FAILED" && kind === "auth" && status === undefined;
  return isUnbuilt || error.code === "AGENT_NO_CREDENTIALS" ? NO_KEY_LINES : [];
}
