import type { ModelId } from "./model-id.ts";
import { thoughtLevelsOf } from "./reasoning/level-rows.ts";
import type { ThoughtLevel } from "./reasoning/thought-level.ts";

/** What is known about a model, as of `snapshotDate`. Everything may be missing: new and local models are in no table. */
export interface ModelCapabilities {
  /** Tokens of input that fit. */
  readonly contextWindow?: number;
  /** Tokens of output that the model can give in one answer. */
  readonly maxOutputTokens?: number;
  readonly vision?: boolean;
  readonly reasoning?: boolean;
  /** How much it can be told to think, from the least to the most; absent when nothing can be chosen. */
  readonly thoughtLevels?: readonly ThoughtLevel[];
  /** USD per million tokens. */
  readonly inputPrice?: number;
  readonly outputPrice?: number;
  /** Day of the table, `YYYY-MM-DD`. */
  readonly snapshotDate: string;
}

/** Context window, output limit, input price, output price, flags (`v` vision, `r` reasoning); null where unknown. */
export type CapabilityRow = readonly [
  contextWindow: number | null,
  maxOutputTokens: number | null,
  inputPrice: number | null,
  outputPrice: number | null,
  flags: string,
];

/** The file `capabilities.json`, written by `scripts/generate-model-capabilities.ts`. */
export interface CapabilitySnapshot {
  readonly snapshotDate: string;
  readonly source: string;
  readonly providers: Readonly<Record<string, Readonly<Record<string, CapabilityRow>>>>;
}

/** Prefixes that serve the models of another one under the same names. */
const SAME_MODELS: Readonly<Record<string, string>> = { ollama_chat: "ollama" };

/** OpenRouter's names of makers, where they differ from prefixes. */
const MAKERS: Readonly<Record<string, string>> = {
  google: "gemini",
  mistralai: "mistral",
  moonshotai: "moonshot",
  "x-ai": "xai",
};

/** The table is loaded with the first question: 100 KB that no start of a server has to pay for. */
export async function loadCapabilities(): Promise<CapabilitySnapshot> {
  const { default: snapshot } = await import("./capabilities.json", { with: { type: "json" } });
  return snapshot as unknown as CapabilitySnapshot;
}

/** What is known about a model; only `snapshotDate` when nothing is. */
export function capabilitiesOf(id: ModelId, snapshot: CapabilitySnapshot): ModelCapabilities {
  const thoughtLevels = thoughtLevelsOf(id);
  return { ...tableOf(id, snapshot), ...(thoughtLevels !== undefined && { thoughtLevels }) };
}

function tableOf(
  { provider, model }: ModelId,
  { providers, snapshotDate }: CapabilitySnapshot,
): ModelCapabilities {
  const row =
    providers[provider] === undefined && provider === "openrouter"
      ? routedRow(model, providers)
      : rowIn(providers[SAME_MODELS[provider] ?? provider], model);
  if (row === undefined) return { snapshotDate };
  const [contextWindow, maxOutputTokens, inputPrice, outputPrice, flags] = row;
  return {
    ...(contextWindow !== null && { contextWindow }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    vision: flags.includes("v"),
    reasoning: flags.includes("r"),
    ...(inputPrice !== null && { inputPrice }),
    ...(outputPrice !== null && { outputPrice }),
    snapshotDate,
  };
}

function rowIn(
  table: CapabilitySnapshot["providers"][string] = {},
  model: string,
): CapabilityRow | undefined {
  const name = nameIn(table, model.replace(/^(?:responses|chat|converse)\//, ""));
  return name === undefined ? undefined : table[name];
}

/** OpenRouter names models `maker/name`, with the maker's limits and prices, and its own dots in versions. */
function routedRow(
  model: string,
  providers: CapabilitySnapshot["providers"],
): CapabilityRow | undefined {
  const [maker = "", name = ""] = model.split("/");
  const table = providers[MAKERS[maker] ?? maker];
  return rowIn(table, name) ?? rowIn(table, name.replaceAll(".", "-"));
}

/** The name itself, else the longest known name it extends by a date, a tag or an organisation (`gpt-4o-2026-01-01`, `ft:gpt-4o:acme`). */
function nameIn(table: Readonly<Record<string, CapabilityRow>>, model: string): string | undefined {
  if (Object.hasOwn(table, model)) return model;
  const plain = model.replace(/^ft:/, "");
  let best: string | undefined;
  for (const name of Object.keys(table)) {
    if (!plain.startsWith(name) || (best !== undefined && name.length <= best.length)) continue;
    if (/^(?:$|[-:@]\d|[-:@]latest$|:)/.test(plain.slice(name.length))) best = name;
  }
  return best;
}

const USUAL_OUTPUT_TOKENS = 8_192;
/** Thinking counts as output; with less, a model that thinks may end before it answers. */
const THINKING_OUTPUT_TOKENS = 32_768;
/** What small and old models take; more is a refused request with some. */
const UNKNOWN_OUTPUT_TOKENS = 4_096;

/** Output limit of a call that names none: left to providers it is anything between 16 and 128,000. */
export function defaultMaxOutputTokens(capabilities: ModelCapabilities): number {
  const { maxOutputTokens, reasoning } = capabilities;
  if (maxOutputTokens === undefined) return UNKNOWN_OUTPUT_TOKENS;
  return Math.min(
    maxOutputTokens,
    reasoning === true ? THINKING_OUTPUT_TOKENS : USUAL_OUTPUT_TOKENS,
  );
}
