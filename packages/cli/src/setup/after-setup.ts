import { closest } from "@acumen/core";
import { loadCapabilities, parseModelId } from "@acumen/models";
import { keyStateOf, type ModelSources } from "../settings/model-environment.ts";
import { providerOf } from "../settings/model-name.ts";
import { keysWith, type SetupChoice } from "./setup-choice.ts";

/** Who uses the model and what to do next, which depends on whether it has to be reached and has its key. */
export function nextLines(sources: ModelSources, choice: SetupChoice): string[] {
  const row = providerOf(choice.model);
  if (row === undefined) {
    return [
      "It recalls lessons and is no language model: the coding agent (`acumen`,",
      "`acumen run`) needs another one.",
      ...ELSEWHERE,
      "Next: `acumen tour` shows this model at work; it needs no key.",
    ];
  }
  const key = keyStateOf(row, { ...sources, stored: keysWith(sources.stored, choice) });
  const next =
    key.source === "missing"
      ? `the key is missing; set ${row.keyVariables[0] ?? "its variable"}, or store it with \`acumen setup\`.`
      : "`acumen doctor --connect` tries the model; `acumen` starts the chat.";
  return [
    "Used by `acumen` (the chat), `acumen run`, `acumen doctor` and `acumen models`.",
    ...ELSEWHERE,
    `Next: ${next}`,
  ];
}

const ELSEWHERE = [
  "ace-mcp and the library read environment variables: ACE_MCP_DEFAULT_MODEL and",
  "the provider's own.",
];

/**
 * The known model that a misspelt one probably meant. Undefined for a known name and for one that is near to none:
 * deployments, local models and new ones are in no table.
 */
export async function meantModel({ model: id }: SetupChoice): Promise<string | undefined> {
  const row = providerOf(id);
  if (row === undefined) return undefined;
  const { model } = parseModelId(id);
  const known = Object.keys((await loadCapabilities()).providers[row.prefix] ?? {});
  if (row.keyOptional === true || known.includes(model)) return undefined;
  const near = closest(model, known);
  return near === undefined ? undefined : `${row.prefix}/${near}`;
}
