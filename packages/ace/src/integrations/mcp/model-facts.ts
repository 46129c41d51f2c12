import { RECALL_MODEL } from "../../runner/model-resolver.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What `--check` says about a model that could be built: provider, name, and which variables are set; never their values. */
export async function modelFacts(id: string, env: Variables): Promise<readonly string[]> {
  if (id === RECALL_MODEL) return [`model: ${id} (embedded, works offline)`, "key: none needed"];
  const { parseModelId, PROVIDERS } = await import("@acumen/models");
  const { provider, model } = parseModelId(id);
  const row = PROVIDERS.find(({ prefix }) => prefix === provider);
  const firstSet = (names: readonly string[] = []): string | undefined =>
    names.find((name) => (env[name] ?? "").trim() !== "");
  const key = firstSet(row?.keyVariables);
  const address = firstSet(row?.baseUrlVariables);
  return [
    `model: ${model}`,
    `provider: ${provider}${row === undefined ? "" : ` (${row.title})`}`,
    `key: ${key === undefined ? "none needed" : `present in ${key}`}`,
    ...(address === undefined ? [] : [`address: from ${address}`]),
  ];
}
