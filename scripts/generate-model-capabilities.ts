import type { CapabilityRow, CapabilitySnapshot } from "@acumen/models";
import { MODEL_PREFIXES } from "@acumen/models";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";

/**
 * Writes packages/models/src/capabilities.json from LiteLLM's table of models (MIT licence): names, limits, prices, flags.
 *
 *   npx tsx --conditions=@acumen/source scripts/generate-model-capabilities.ts --from FILE --label "litellm 1.110.2"
 *
 * FILE is `model_prices_and_context_window.json` of the repository, or `…_backup.json` inside the wheel of the Python
 * package. Without --from it is fetched from the repository's main branch.
 */
const SOURCE =
  "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json";
const TARGET = new URL("../packages/models/src/capabilities.json", import.meta.url);
const PER_MILLION = 1_000_000;

interface LiteLlmModel {
  readonly litellm_provider?: string;
  readonly mode?: string;
  readonly max_input_tokens?: unknown;
  readonly max_output_tokens?: unknown;
  readonly max_tokens?: unknown;
  readonly input_cost_per_token?: unknown;
  readonly output_cost_per_token?: unknown;
  readonly supports_vision?: boolean;
  readonly supports_reasoning?: boolean;
}

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    label: { type: "string", default: "litellm main branch" },
    date: { type: "string", default: new Date().toISOString().slice(0, 10) },
  },
});

const table = JSON.parse(await sourceText(values.from)) as Record<string, LiteLlmModel>;
const snapshot: CapabilitySnapshot = {
  snapshotDate: values.date,
  source: `${values.label} (MIT licence), model_prices_and_context_window`,
  providers: providersOf(table),
};
await writeFile(TARGET, textOf(snapshot));
const models = Object.values(snapshot.providers).flatMap((models) => Object.keys(models)).length;
console.log(`${models} models of ${Object.keys(snapshot.providers).length} providers`);

async function sourceText(from: string | undefined): Promise<string> {
  if (from !== undefined) return readFile(from, "utf8");
  const response = await fetch(SOURCE);
  if (!response.ok) throw new Error(`${SOURCE} answered ${response.status}`);
  return response.text();
}

function providersOf(
  models: Record<string, LiteLlmModel>,
): Record<string, Record<string, CapabilityRow>> {
  const providers: Record<string, Record<string, CapabilityRow>> = {};
  for (const [key, model] of Object.entries(models)) {
    if (model.mode !== "chat" && model.mode !== "responses") continue;
    const prefix = prefixOf(model.litellm_provider ?? "");
    if (prefix === undefined) continue;
    const name = key.startsWith(`${prefix}/`) ? key.slice(prefix.length + 1) : key;
    // Prices of reserved capacity and of single regions of Bedrock: other rows of the same models.
    if (prefix === "bedrock" && name.includes("/")) continue;
    const row = rowOf(model);
    if (row !== undefined) (providers[prefix] ??= {})[name] = row;
  }
  return Object.fromEntries(
    Object.entries(providers)
      .toSorted(byKey)
      .map(([prefix, rows]) => [prefix, Object.fromEntries(Object.entries(rows).toSorted(byKey))]),
  );
}

/** LiteLLM splits a few providers by the maker of the model or by the API behind it. */
function prefixOf(provider: string): string | undefined {
  if (provider.startsWith("vertex_ai")) return "vertex_ai";
  if (provider.startsWith("bedrock_converse")) return "bedrock";
  const renamed: Record<string, string> = { cohere_chat: "cohere", azure_text: "azure" };
  const prefix = renamed[provider] ?? provider;
  return MODEL_PREFIXES.includes(prefix) ? prefix : undefined;
}

function rowOf(model: LiteLlmModel): CapabilityRow | undefined {
  const window = tokens(model.max_input_tokens) ?? tokens(model.max_tokens);
  const output = tokens(model.max_output_tokens) ?? tokens(model.max_tokens);
  const flags = `${model.supports_vision === true ? "v" : ""}${model.supports_reasoning === true ? "r" : ""}`;
  const row: CapabilityRow = [
    window,
    output,
    price(model.input_cost_per_token),
    price(model.output_cost_per_token),
    flags,
  ];
  return window === null && output === null ? undefined : row;
}

function tokens(value: unknown): number | null {
  return typeof value === "number" && value > 0 ? Math.floor(value) : null;
}

/** A price of 0 for a hosted model means that nobody filled it in, or a free tier: not told. */
function price(value: unknown): number | null {
  if (typeof value !== "number" || value <= 0) return null;
  return Number((value * PER_MILLION).toPrecision(6));
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** One line a model, so that an update reads as a list of changes. */
function textOf({ snapshotDate, source, providers }: CapabilitySnapshot): string {
  const blocks = Object.entries(providers).map(([prefix, rows]) => {
    const lines = Object.entries(rows).map(
      ([name, row]) =>
        `      ${JSON.stringify(name)}: [${row.map((cell) => JSON.stringify(cell)).join(", ")}]`,
    );
    return `    ${JSON.stringify(prefix)}: {\n${lines.join(",\n")}\n    }`;
  });
  return `{\n  "snapshotDate": ${JSON.stringify(snapshotDate)},\n  "source": ${JSON.stringify(source)},\n  "providers": {\n${blocks.join(",\n")}\n  }\n}\n`;
}
