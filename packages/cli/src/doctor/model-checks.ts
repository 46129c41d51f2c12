import { AcumenError } from "@acumen/core";
import { type Model, modelFailureKind, PROVIDERS, resolveModel } from "@acumen/models";
import { SOURCE_NAMES } from "../models/model-lines.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { keyStateOf, NO_KEY_LINES } from "../settings/model-environment.ts";
import { EMBEDDED_MODEL } from "../settings/model-name.ts";
import { type Check, check } from "./check.ts";
import { pingModel } from "./ping-model.ts";

/** Which providers have a key, by name and place, never the key. */
export function checkKeys(loaded: LoadedSettings): Check {
  const found = PROVIDERS.flatMap((row) => {
    const key = keyStateOf(row, loaded);
    if (!("variable" in key)) return [];
    return [`${row.prefix} (${key.source === "stored" ? "stored" : key.variable})`];
  });
  return found.length > 0
    ? check("keys", "ok", `keys for ${found.join(", ")}`)
    : check("keys", "note", "no provider has a key", NO_KEY_LINES.join("\n"));
}

export interface ModelFindings {
  readonly check: Check;
  /** When it could be built and is reached over a connection. */
  readonly model?: Model;
}

/** Builds the chosen model: looks up key, address and package, and makes no request. */
export async function checkModel(loaded: LoadedSettings): Promise<ModelFindings> {
  const { model: chosen, modelVariables } = loaded;
  if (chosen === undefined) {
    return {
      check: check(
        "model",
        "note",
        "no model is chosen",
        "Run `acumen setup`, or set ACUMEN_MODEL.",
      ),
    };
  }
  const name = `${chosen.id} (from ${SOURCE_NAMES[chosen.source]})`;
  if (chosen.id === EMBEDDED_MODEL) {
    return { check: check("model", "ok", `${name}: embedded, needs no key and no network`) };
  }
  try {
    const model = await resolveModel(chosen.id, {
      env: modelVariables,
      allowScripted: chosen.source !== "settings",
    });
    return { check: check("model", "ok", `${name} can be built`), model };
  } catch (error) {
    if (!AcumenError.isInstance(error)) throw error;
    return { check: check("model", "wrong", `${name}: ${error.message}`, "`acumen setup` helps.") };
  }
}

/** One tiny request, when there is something to ask. */
export async function checkConnection(
  loaded: LoadedSettings,
  { check: built, model }: ModelFindings,
  signal: AbortSignal,
): Promise<Check> {
  const id = loaded.model?.id;
  if (id === EMBEDDED_MODEL) return check("connection", "ok", `${id} needs no connection`);
  if (id === undefined || model === undefined) {
    const why = built.status === "wrong" ? "the model cannot be built" : "no model is chosen";
    return check("connection", "wrong", `not tried: ${why}`, built.remedy);
  }
  try {
    const { milliseconds, usage } = await pingModel(id, {
      env: loaded.modelVariables,
      allowScripted: loaded.model?.source !== "settings",
      signal,
    });
    const tokens = `${usage.inputTokens} + ${usage.outputTokens} tokens`;
    return check("connection", "ok", `${id} answered in ${milliseconds} ms (${tokens})`);
  } catch (error) {
    if (!AcumenError.isInstance(error) || signal.aborted) throw error;
    const kind = modelFailureKind(error) ?? error.code;
    return check("connection", "wrong", `${kind}: ${error.message}`, remedyOf(kind, error));
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  auth: "Check the key, or store a new one with `acumen setup`.",
  quota: "Look at plan and billing of the account, or choose another model.",
  rate_limit: "Wait a little and try again.",
  timeout: "Try again; check network and proxy.",
  unavailable: "Check network and address, and whether the service or local server runs.",
  unknown_model: "Look the name up with `acumen models`, and check what your account may use.",
  bad_request: "Check the address (`endpoints` in the settings, or the provider's variable).",
  not_installed: "Install the package that the message names.",
};

function remedyOf(kind: string, { details }: AcumenError): string {
  const wait = details["retry_after_ms"];
  if (kind === "rate_limit" && typeof wait === "number") {
    return `Try again in ${Math.ceil(wait / 1000)} s.`;
  }
  return REMEDIES[kind] ?? "Choose another model with `acumen setup`.";
}
