import { AcumenError } from "@acumen/core";
import { isModelError, modelFailureKind, type ProviderRow, resolveModel } from "@acumen/models";
import { pingModel, type Pong } from "../doctor/ping-model.ts";
import { cliError } from "../errors.ts";
import type { ModelSources } from "../settings/model-environment.ts";
import { providerOf } from "../settings/model-name.ts";
import { type SetupChoice, variablesWith } from "./setup-choice.ts";

/**
 * Builds the chosen model without asking it, so that nothing is written that cannot work.
 * @throws CLI_NO_CREDENTIALS when its key is missing and `keyLater` is false; MODEL_FAILED of kind `not_installed`,
 * `bad_request` (no address)
 */
export async function verifyChoice(
  sources: ModelSources,
  choice: SetupChoice,
  keyLater: boolean,
): Promise<void> {
  const row = providerOf(choice.model);
  if (row === undefined) return;
  try {
    await resolveModel(choice.model, { env: variablesWith(sources, choice) });
  } catch (error) {
    if (modelFailureKind(error) !== "auth" || choice.keys !== undefined) throw error;
    if (!keyLater) throw noKey(row, choice.model);
  }
}

/** One tiny question to the chosen model; undefined for the embedded one. */
export async function tryChoice(
  sources: ModelSources,
  choice: SetupChoice,
  signal: AbortSignal,
): Promise<Pong | undefined> {
  if (providerOf(choice.model) === undefined) return undefined;
  return pingModel(choice.model, { env: variablesWith(sources, choice), signal });
}

/** A failure that the person who sets up can judge; anything else is passed on. */
export function judgeable(error: unknown, signal: AbortSignal): AcumenError {
  if (isModelError(error) && AcumenError.isInstance(error) && !signal.aborted) return error;
  throw error;
}

function noKey(row: ProviderRow, model: string): AcumenError {
  const [variable = ""] = row.keyVariables;
  return cliError(
    "CLI_NO_CREDENTIALS",
    `${model} needs a key of ${row.title}. Give it with --api-key-env NAME or --api-key-stdin, set ${variable}, or add --no-api-key to bring it later.`,
    { details: { model, variables: row.keyVariables } },
  );
}
