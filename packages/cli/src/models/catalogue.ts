import { createRequire } from "node:module";
import {
  capabilitiesOf,
  loadCapabilities,
  type ModelCapabilities,
  PROVIDERS,
  type ProviderRow,
} from "@acumen/models/catalogue";
import { secretVariables } from "../settings/key-names.ts";
import { type KeyState, keyStateOf, type ModelSources } from "../settings/model-environment.ts";

export interface CatalogueProvider {
  readonly row: ProviderRow;
  readonly key: KeyState;
  /** False when its package is an optional one that has to be installed first. */
  readonly installed: boolean;
  readonly models: readonly CatalogueModel[];
}

interface CatalogueModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
}

export interface Catalogue {
  readonly providers: readonly CatalogueProvider[];
  /** Day of the table, `YYYY-MM-DD`. */
  readonly snapshotDate: string;
}

/** Every provider with what is known about its models; none is asked. */
export async function loadCatalogue(sources: ModelSources): Promise<Catalogue> {
  const snapshot = await loadCapabilities();
  const providers = PROVIDERS.map((row) => ({
    row,
    key: keyStateOf(row, sources),
    installed: row.peer === undefined || isInstalled(row.package),
    models: Object.keys(snapshot.providers[row.prefix] ?? {}).map((model) => ({
      id: `${row.prefix}/${model}`,
      capabilities: capabilitiesOf({ provider: row.prefix, model }, snapshot),
    })),
  }));
  return { providers, snapshotDate: snapshot.snapshotDate };
}

/** Providers with their models whose id or title holds every word; a provider's own name brings all its models. */
export function searched(catalogue: Catalogue, query: string): CatalogueProvider[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return catalogue.providers.flatMap((provider) => {
    const title = provider.row.title.toLowerCase();
    const holds = (text: string): boolean =>
      words.every((word) => text.includes(word) || title.includes(word));
    const models = provider.models.filter(({ id }) => holds(id.toLowerCase()));
    return models.length > 0 || holds(provider.row.prefix) ? [{ ...provider, models }] : [];
  });
}

export function providerRecord({ row, key, installed, models }: CatalogueProvider): object {
  return {
    provider: row.prefix,
    title: row.title,
    key: key.source,
    ...("variable" in key && { key_variable: key.variable }),
    key_variables: secretVariables(row),
    base_url_variables: row.baseUrlVariables,
    package: row.package,
    installed,
    models: models.map(({ id, capabilities }) => modelRecord(id, capabilities)),
  };
}

function modelRecord(id: string, capabilities: ModelCapabilities): object {
  const { contextWindow, maxOutputTokens, vision, reasoning, inputPrice, outputPrice } =
    capabilities;
  const { thoughtLevels = [] } = capabilities;
  return {
    id,
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    vision,
    reasoning,
    thought_levels: thoughtLevels,
    input_price: inputPrice,
    output_price: outputPrice,
  };
}

/** Looked up from where the models package would load it. A package with an odd export map is there nevertheless. */
export function isInstalled(name: string, from = "@acumen/models"): boolean {
  const own = createRequire(import.meta.url);
  try {
    createRequire(own.resolve(`${from}/package.json`)).resolve(`${name}/package.json`);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code !== "MODULE_NOT_FOUND";
  }
}
