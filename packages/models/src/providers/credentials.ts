import { modelError } from "../errors.ts";
import type { ModelId } from "../model-id.ts";
import type { ProviderRow } from "./provider-row.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** First variable with a value that is not blank. */
export function firstSet(
  env: Environment,
  variables: readonly string[],
): { readonly variable: string; readonly value: string } | undefined {
  for (const variable of variables) {
    const value = env[variable]?.trim();
    if (value !== undefined && value !== "") return { variable, value };
  }
  return undefined;
}

/**
 * The provider's key; undefined when it works without one.
 * @throws MODEL_FAILED of kind `auth` that names the variables and never a value
 */
export function apiKeyOf(row: ProviderRow, id: ModelId, env: Environment): string | undefined {
  const found = firstSet(env, row.keyVariables);
  if (found !== undefined) {
    if (isHeaderText(found.value)) return found.value;
    throw modelError(
      `The key in ${found.variable} holds characters that no key has (line break, quote mark of a copied text). Copy it again.`,
      { ...id, kind: "auth" },
    );
  }
  if (row.keyOptional === true) return undefined;
  const [first = "", ...others] = row.keyVariables;
  const also = others.length === 0 ? "" : ` (${others.join(" or ")} also works)`;
  const where = row.keyPage === undefined ? "" : ` Keys are made at ${row.keyPage}.`;
  throw modelError(
    `No key for ${row.title}: set ${first}${also} to use model "${id.provider}/${id.model}".${where}`,
    { ...id, kind: "auth" },
  );
}

/** What an HTTP header takes: `fetch` would refuse the rest with a message that repeats the key. */
function isHeaderText(value: string): boolean {
  return /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(value);
}
