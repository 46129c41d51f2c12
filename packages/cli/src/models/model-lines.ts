import type { ModelCapabilities } from "@acumen/models";
import { count } from "../terminal/count.ts";
import type { LoadedSettings, SettingSource } from "../settings/load-settings.ts";
import { type KeyState, NO_KEY_LINES } from "../settings/model-environment.ts";
import { EMBEDDED_MODEL, providerOf } from "../settings/model-name.ts";
import { shortened } from "../terminal/printable.ts";
import { type Column, tableLines } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Catalogue, CatalogueProvider } from "./catalogue.ts";

export const SOURCE_NAMES: Readonly<Record<SettingSource, string>> = {
  settings: "the settings file",
  workspace: "the workspace's settings",
  environment: "ACUMEN_MODEL",
  flag: "--model",
};

const PROVIDER_COLUMNS: readonly Column[] = [
  { title: "prefix" },
  { title: "provider", width: 27 },
  { title: "known", width: 5, alignRight: true },
  { title: "key", width: 24 },
];

const MODEL_COLUMNS: readonly Column[] = [
  { title: "model" },
  { title: "context", width: 7, alignRight: true },
  { title: "$ in", width: 7, alignRight: true },
  { title: "$ out", width: 7, alignRight: true },
  { title: "can", width: 4 },
  { title: "key", width: 7 },
];

/** One line for each provider, then how to go on. */
export function providerLines(terminal: Terminal, catalogue: Catalogue): string[] {
  const { providers, snapshotDate } = catalogue;
  const rows = providers.map(({ row, key, installed, models }) => [
    row.prefix,
    row.title,
    models.length === 0 ? "-" : String(models.length),
    installed ? keyText(key) : `${keyText(key)} (install)`,
  ]);
  const [embedded = ""] = EMBEDDED_MODEL.split("/");
  rows.push([embedded, `embedded: ${EMBEDDED_MODEL}`, "1", "not needed"]);
  const missing = providers.filter(({ installed }) => !installed).map(({ row }) => row);
  const [head = "", ...lines] = tableLines(PROVIDER_COLUMNS, rows, terminal.width);
  return [
    terminal.colours.bold(head),
    ...lines,
    "",
    `A model id is prefix/name. Known models as of ${snapshotDate}; others work too.`,
    "`acumen models WORD…` shows models, for example `acumen models claude`.",
    ...missing.map(({ prefix, package: name, peer }) => {
      return `(install) ${prefix}: npm install ${name}@${peer ?? "latest"}`;
    }),
  ];
}

/** Which model is used, and how to get a key when there is none. */
export function chosenLines({ model }: LoadedSettings, { providers }: Catalogue): string[] {
  const hasKey = providers.some(({ key }) => "variable" in key);
  const needsNone = model !== undefined && providerOf(model.id)?.keyOptional !== undefined;
  const chosen =
    model === undefined
      ? "No model is chosen; `acumen setup` sets one."
      : `Chosen model: ${model.id} (from ${SOURCE_NAMES[model.source]}).`;
  return hasKey || needsNone || model?.id === EMBEDDED_MODEL ? [chosen] : [chosen, ...NO_KEY_LINES];
}

/** The models of a search; `limit` bounds them in all. */
export function modelLines(
  terminal: Terminal,
  found: readonly CatalogueProvider[],
  { limit, query, snapshotDate }: { limit: number; query: string; snapshotDate: string },
): string[] {
  const all = found.flatMap(({ key, models }) => models.map((model) => ({ ...model, key })));
  const embedded = matchesEmbedded(query) ? [[EMBEDDED_MODEL, "-", "0", "0", "-", "-"]] : [];
  if (all.length + embedded.length === 0) return nothingKnown(found, query);
  const rows = all
    .slice(0, limit)
    .map(({ id, capabilities, key }) => [id, ...cells(capabilities), shortKeyText(key)]);
  const rest = all.length - limit;
  const [head = "", ...lines] = tableLines(MODEL_COLUMNS, [...embedded, ...rows], terminal.width);
  return [
    terminal.colours.bold(head),
    ...lines,
    ...(rest > 0 ? [`${count(rest, "more model")}: raise --limit, or add a word.`] : []),
    "",
    `As of ${snapshotDate}: context in tokens, prices in USD per million tokens;`,
    "v reads images, r reasons, t takes a thought level. Other models work too.",
  ];
}

/** The embedded model is no provider's and in no table. */
export function matchesEmbedded(query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => EMBEDDED_MODEL.includes(word));
}

function nothingKnown(found: readonly CatalogueProvider[], query: string): string[] {
  return [
    `No known model matches "${shortened(query, 40)}".`,
    "Models that are not in the table work too: name them prefix/name.",
    ...found.map(({ row, key }) => `${row.prefix}/… is ${row.title}: ${keyText(key)}`),
  ];
}

function cells(capabilities: ModelCapabilities): string[] {
  const { contextWindow, inputPrice, outputPrice, vision, reasoning, thoughtLevels } = capabilities;
  const flags = [
    vision === true ? "v" : "-",
    reasoning === true ? "r" : "-",
    thoughtLevels ? "t" : "-",
  ];
  return [
    contextWindow === undefined ? "?" : tokens(contextWindow),
    price(inputPrice),
    price(outputPrice),
    flags.join(""),
  ];
}

/** `128k`, `1.05M`: the tables of providers use powers of ten and of two side by side. */
function tokens(number: number): string {
  if (number >= 1_000_000) return `${Number((number / 1_000_000).toFixed(2))}M`;
  return number >= 1_000 ? `${Math.round(number / 1_000)}k` : String(number);
}

function price(dollars: number | undefined): string {
  return dollars === undefined ? "?" : String(Number(dollars.toPrecision(3)));
}

function keyText(key: KeyState): string {
  if (key.source === "environment") return `set: ${key.variable}`;
  if (key.source === "stored") return "stored by acumen setup";
  return key.source === "missing" ? "missing" : "not needed";
}

function shortKeyText({ source }: KeyState): string {
  return { environment: "set", stored: "stored", missing: "missing", "not-needed": "-" }[source];
}
