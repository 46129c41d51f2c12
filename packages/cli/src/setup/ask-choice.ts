import { PROVIDERS, type ProviderRow } from "@acumen/models";
import { addressFault } from "../settings/address-fault.ts";
import { keyFault } from "../settings/key-names.ts";
import { keyStateOf, type ModelSources } from "../settings/model-environment.ts";
import { EMBEDDED_MODEL, modelIdFault } from "../settings/model-name.ts";
import type { Prompts } from "../terminal/prompts.ts";
import { type SetupChoice, storedUnder } from "./setup-choice.ts";

/** Asks a person for provider, address, model and key. */
export async function askChoice(prompts: Prompts, sources: ModelSources): Promise<SetupChoice> {
  const prefix = await prompts.select({
    message: "Which provider serves the model?",
    options: [
      ...PROVIDERS.map((row) => ({
        value: row.prefix,
        label: row.title,
        hint: hintOf(row, sources),
      })),
      {
        value: EMBEDDED_MODEL,
        label: "none: the embedded model",
        hint: "recalls lessons, is no language model; no key, no network",
      },
    ],
  });
  const row = PROVIDERS.find((provider) => provider.prefix === prefix);
  if (row === undefined) return { model: EMBEDDED_MODEL };
  const baseUrl = await askAddress(prompts, row, sources);
  const model = await askModel(prompts, row, sources);
  const keys = await askKeys(prompts, row, sources);
  return {
    model,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(keys !== undefined && { keys }),
  };
}

/** Asks for the key of a provider when it needs one and has none; undefined leaves everything as it is. */
async function askKeys(
  prompts: Prompts,
  row: ProviderRow,
  sources: ModelSources,
): Promise<SetupChoice["keys"]> {
  const key = keyStateOf(row, sources);
  if (key.source === "not-needed") return undefined;
  if ("variable" in key) {
    const place = key.source === "stored" ? "stored already" : `in ${key.variable}`;
    const keep = await prompts.confirm({
      message: `A key for ${row.title} is ${place}. Keep it as it is?`,
      initial: true,
    });
    if (keep) return undefined;
  }
  const page = row.keyPage === undefined ? "" : ` (made at ${row.keyPage})`;
  const answer = await prompts.secret({
    message: `Key for ${row.title}${page}; it is not shown:`,
    validate: (text) => {
      const fault = keyFault(text);
      return fault === undefined ? undefined : `The key ${fault}.`;
    },
  });
  return { [storedUnder(row, undefined)]: answer };
}

/** Only for servers of one's own and services that have no address in common. */
async function askAddress(
  prompts: Prompts,
  row: ProviderRow,
  { settings }: ModelSources,
): Promise<string | undefined> {
  const isOwnServer = row.keyOptional === true && row.driver === "compatible";
  const needsOne = row.defaultBaseUrl === undefined && row.basePath !== undefined;
  if (!isOwnServer && !needsOne) return undefined;
  const initial = settings.endpoints?.[row.prefix] ?? row.defaultBaseUrl;
  const answer = await prompts.text({
    message: `Address of ${row.title}:`,
    ...(initial !== undefined && { initial }),
    ...(initial === undefined && { placeholder: "http://127.0.0.1:8080/v1" }),
    validate: (text) => {
      const fault = addressFault(text);
      return fault === undefined ? undefined : `The address ${fault}.`;
    },
  });
  return answer === row.defaultBaseUrl ? undefined : answer;
}

async function askModel(
  prompts: Prompts,
  row: ProviderRow,
  { settings }: ModelSources,
): Promise<string> {
  const current =
    settings.model?.startsWith(`${row.prefix}/`) === true ? settings.model : undefined;
  const answer = await prompts.text({
    message: `Name of the model (\`acumen models ${row.prefix}\` lists those that are known):`,
    ...(current !== undefined && { initial: current.slice(row.prefix.length + 1) }),
    validate: (text) => (text === "" ? "A name is needed." : modelIdFault(withPrefix(row, text))),
  });
  return withPrefix(row, answer);
}

function withPrefix({ prefix }: ProviderRow, name: string): string {
  return name.startsWith(`${prefix}/`) ? name : `${prefix}/${name}`;
}

function hintOf(row: ProviderRow, sources: ModelSources): string {
  const key = keyStateOf(row, sources);
  if (key.source === "environment") return `key in ${key.variable}`;
  if (key.source === "stored") return "key stored";
  return key.source === "missing" ? "needs a key" : "no key needed";
}
