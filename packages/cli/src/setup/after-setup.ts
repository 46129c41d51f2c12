import { closest } from "@acumen/core";
import { loadCapabilities, parseModelId } from "@acumen/models";
import { keyStateOf, type ModelSources } from "../settings/model-environment.ts";
import { providerOf } from "../settings/model-name.ts";
import { keysWith, type SetupChoice } from "./setup-choice.ts";

/** What to do next, which depends on whether the model has to be reached and has its key. */
export function nextLine(sources: ModelSources, choice: SetupChoice): string {
  const row = providerOf(choice.model);
  if (row === undefined) return "Next: `acumen tour` shows this model at work; it needs no key.";
  const key = keyStateOf(row, { ...sources, stored: keysWith(sources.stored, choice) });
  if (key.source !== "missing") {
    return "Next: `acumen doctor --connect` asks the model one tiny question.";
  }
  return `Next: the key is missing; set ${row.keyVariables[0] ?? "its variable"}, or store it with \`acumen setup\`.`;
}

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
