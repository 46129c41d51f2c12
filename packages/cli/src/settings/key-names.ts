import { PROVIDERS, type ProviderRow } from "@acumen/models/catalogue";

/** What belongs to a key and is as secret: signing with AWS keys takes two or three texts. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  bedrock: ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
};

/** Every variable that holds a secret of a provider, the usual one first. */
export function secretVariables(row: ProviderRow): readonly string[] {
  return [...row.keyVariables, ...(COMPANIONS[row.prefix] ?? [])];
}

/** Names that may stand in credentials.json. */
export const SECRET_NAMES: readonly string[] = [...new Set(PROVIDERS.flatMap(secretVariables))];

const MAX_KEY_CHARS = 16_384;

/** Why a text cannot be a key; undefined when it can. The text is not repeated. */
export function keyFault(key: string): string | undefined {
  if (key === "") return "is empty";
  if (key.length > MAX_KEY_CHARS) return `has over ${MAX_KEY_CHARS} characters`;
  // What an HTTP header takes.
  if (!/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(key)) {
    return "holds characters that no key has (line break, quote mark of a copied text)";
  }
  return undefined;
}
