import type { HostFacts } from "@acumen/acp";
import { capabilitiesOf, loadCapabilities, parseModelId } from "@acumen/models/catalogue";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { providerOf } from "../settings/model-name.ts";
import { missingCredentials } from "./missing-credentials.ts";

/** What a host hears first, from settings, keys and the table of models; the agent is not loaded for it. */
export async function hostFacts(loaded: LoadedSettings): Promise<HostFacts> {
  const missing = missingCredentials(loaded);
  return {
    image: await takesImages(loaded),
    ...(missing !== undefined && { missingCredentials: missing }),
  };
}

/** Of models that no table knows it is not said that they see. */
async function takesImages({ model }: LoadedSettings): Promise<boolean> {
  if (model === undefined || providerOf(model.id) === undefined) return false;
  return capabilitiesOf(parseModelId(model.id), await loadCapabilities()).vision === true;
}
