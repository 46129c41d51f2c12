import { AcumenError } from "@acumen/core";
import { PROVIDERS, parseModelId, type ProviderRow } from "@acumen/models/catalogue";

/** The engine's embedded model; no provider, no key. `@acumen/ace` exports the same id, at the price of loading the engine. */
export const EMBEDDED_MODEL = "builtin/recall";

/**
 * Why an id cannot be used; undefined when it can.
 * @param files accept ids that replay a file: only from who starts the process, never from a settings file
 */
export function modelIdFault(
  id: string,
  { files = false }: { readonly files?: boolean } = {},
): string | undefined {
  if (id === EMBEDDED_MODEL) return undefined;
  try {
    if (providerOf(id) !== undefined || files) return undefined;
    return "replays a file; such ids are taken from --model and ACUMEN_MODEL alone";
  } catch (error) {
    if (AcumenError.isInstance(error)) return error.message;
    throw error;
  }
}

/**
 * The row of the provider that serves a model; undefined for the embedded model and for models that replay a file.
 * @throws MODEL_FAILED of kind `unknown_model`
 */
export function providerOf(id: string): ProviderRow | undefined {
  if (id === EMBEDDED_MODEL) return undefined;
  const { provider } = parseModelId(id);
  return PROVIDERS.find(({ prefix }) => prefix === provider);
}
