import { PROVIDERS, type ProviderRow } from "@acumen/models/catalogue";
import type { StoredKeys } from "./credentials.ts";
import { secretVariables } from "./key-names.ts";
import type { Settings } from "./settings-schema.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export interface ModelSources {
  readonly variables: Variables;
  readonly settings: Settings;
  readonly stored: StoredKeys;
}

/**
 * What the models package looks keys and addresses up in: the environment, with stored keys and the settings' addresses
 * where the environment says nothing. Whole providers are filled in, never single names: a stored first choice would
 * otherwise win over a second name that is set, and a stored secret would be paired with somebody else's key id.
 */
export function modelEnvironment({ variables, settings, stored }: ModelSources): Variables {
  const added: Record<string, string> = {};
  for (const row of PROVIDERS) {
    const secrets = secretVariables(row);
    if (!secrets.some((name) => isSet(variables, name))) {
      for (const name of secrets) {
        const key = stored[name];
        if (key !== undefined) added[name] = key;
      }
    }
    const address = settings.endpoints?.[row.prefix];
    const [first] = row.baseUrlVariables;
    if (address === undefined || first === undefined) continue;
    if (!row.baseUrlVariables.some((name) => isSet(variables, name))) added[first] = address;
  }
  return { ...variables, ...added };
}

/** Where a provider's key comes from. `not-needed`: it works without one. */
export type KeyState =
  | { readonly source: "environment" | "stored"; readonly variable: string }
  | { readonly source: "not-needed" | "missing" };

export function keyStateOf(row: ProviderRow, { variables, stored }: ModelSources): KeyState {
  const secrets = secretVariables(row);
  const inEnvironment = row.keyVariables.find((name) => isSet(variables, name));
  if (inEnvironment !== undefined) return { source: "environment", variable: inEnvironment };
  const takesStored = !secrets.some((name) => isSet(variables, name));
  const inFile = takesStored
    ? row.keyVariables.find((name) => stored[name] !== undefined)
    : undefined;
  if (inFile !== undefined) return { source: "stored", variable: inFile };
  return { source: row.keyOptional === true ? "not-needed" : "missing" };
}

/** The three ways to a key, a line each; short enough to stand indented in a report. */
export const NO_KEY_LINES: readonly string[] = [
  "No key yet: `acumen setup` stores one in a file that only you can read,",
  "or set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or another one,",
  "or use a model on this machine: `acumen setup --model ollama/NAME`.",
];

/** Blank counts as unset, as it does for the models package. */
function isSet(variables: Variables, name: string): boolean {
  return (variables[name] ?? "").trim() !== "";
}
