import type { ModelChoice } from "@acumen/acp";
import { loadCatalogue } from "../models/catalogue.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { EMBEDDED_MODEL } from "../settings/model-name.ts";

/** A list for people; any other id works too. */
const MOST_MODELS = 200;

/** The chosen model, then those that are known of providers with a key. */
export async function hostModels(loaded: LoadedSettings): Promise<readonly ModelChoice[]> {
  const chosen = loaded.model?.id;
  const { providers } = await loadCatalogue(loaded);
  const usable = providers.filter(
    ({ key, installed, models }) =>
      installed && ("variable" in key || models.some(({ id }) => id === chosen)),
  );
  const known = usable.flatMap(({ row, models }) =>
    models.map(({ id, capabilities: { contextWindow } }) => ({
      id,
      name: `${id.slice(row.prefix.length + 1)} (${row.title})`,
      ...(contextWindow !== undefined && { description: `${sizeOf(contextWindow)} tokens fit` }),
    })),
  );
  const own = known.find(({ id }) => id === chosen);
  const first = own ?? (chosen === undefined ? undefined : { id: chosen, name: chosen });
  const others = known.filter(({ id }) => id !== chosen);
  return first === undefined || first.id === EMBEDDED_MODEL
    ? others.slice(0, MOST_MODELS)
    : [first, ...others.slice(0, MOST_MODELS - 1)];
}

function sizeOf(tokens: number): string {
  return tokens < 1_000_000 ? `${Math.round(tokens / 1_000)}k` : `${tokens / 1_000_000}M`;
}
