import type { ProviderRow } from "@acumen/models";
import type { StoredKeys } from "../settings/credentials.ts";
import { SECRET_NAMES, secretVariables } from "../settings/key-names.ts";
import { modelEnvironment, type ModelSources } from "../settings/model-environment.ts";
import { providerOf } from "../settings/model-name.ts";
import type { Settings } from "../settings/settings-schema.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What somebody wants to be set up. */
export interface SetupChoice {
  readonly model: string;
  /** Address of the model's provider. */
  readonly baseUrl?: string;
  /** New keys of the model's provider, by variable. */
  readonly keys?: StoredKeys;
}

/** Settings with the choice; everything else stays. */
function settingsWith(settings: Settings, { model, baseUrl }: SetupChoice): Settings {
  const row = providerOf(model);
  if (row === undefined || baseUrl === undefined) return { ...settings, model };
  return { ...settings, model, endpoints: { ...settings.endpoints, [row.prefix]: baseUrl } };
}

/** New keys take the place of all the provider's old ones: an old first choice would win over a new second one. */
export function keysWith(stored: StoredKeys, { model, keys }: SetupChoice): StoredKeys {
  const row = providerOf(model);
  if (row === undefined || keys === undefined) return stored;
  const own = secretVariables(row);
  const others = Object.entries(stored).filter(([name]) => !own.includes(name));
  return { ...Object.fromEntries(others), ...keys };
}

/** What the model would be built from once the choice is written; what is new counts more than the environment here. */
export function variablesWith(sources: ModelSources, choice: SetupChoice): Variables {
  const row = providerOf(choice.model);
  const hidden = new Set([
    ...(row !== undefined && choice.keys !== undefined ? secretVariables(row) : []),
    ...(row !== undefined && choice.baseUrl !== undefined ? row.baseUrlVariables : []),
  ]);
  const visible = Object.entries(sources.variables).filter(([name]) => !hidden.has(name));
  return modelEnvironment({
    variables: Object.fromEntries(visible),
    settings: settingsWith(sources.settings, choice),
    stored: keysWith(sources.stored, choice),
  });
}

/** Variables of the environment that will win over what the choice writes. */
export function winningVariables(variables: Variables, choice: SetupChoice): string[] {
  const row = providerOf(choice.model);
  const names = [
    ...(row !== undefined && choice.keys !== undefined ? secretVariables(row) : []),
    ...(row !== undefined && choice.baseUrl !== undefined ? row.baseUrlVariables : []),
    "ACUMEN_MODEL",
  ];
  return names.filter((name) => {
    const value = variables[name]?.trim() ?? "";
    return (
      value !== "" &&
      value !== choice.keys?.[name] &&
      value !== choice.baseUrl &&
      value !== choice.model
    );
  });
}

/** The names under which a key is stored: that of its variable when it is one of the provider's, else the usual one. */
export function storedUnder(row: ProviderRow, variable: string | undefined): string {
  const [usual = ""] = row.keyVariables;
  return variable !== undefined && secretVariables(row).includes(variable) ? variable : usual;
}

/** What belongs to a key that was taken from the environment, such as the secret of an AWS key id. */
export function companionsOf(row: ProviderRow, variable: string, variables: Variables): StoredKeys {
  if (!SECRET_NAMES.includes(variable) || row.keyVariables[0] === variable) return {};
  const companions = secretVariables(row).filter((name) => !row.keyVariables.includes(name));
  return Object.fromEntries(
    companions.flatMap((name) => {
      const value = variables[name]?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}
