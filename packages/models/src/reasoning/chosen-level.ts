import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { ModelCapabilities } from "../capabilities.ts";
import { modelError } from "../errors.ts";
import type { ModelId } from "../model-id.ts";
import { isThoughtLevel, type ThoughtLevel } from "./thought-level.ts";

/** The level of a call; undefined: the service's own. It travels in the note, which no provider sees. */
export function chosenLevel({
  providerOptions,
}: LanguageModelV3CallOptions): ThoughtLevel | undefined {
  const level = providerOptions?.["acumen"]?.["thoughtLevel"];
  return isThoughtLevel(level) ? level : undefined;
}

/** @throws MODEL_FAILED of kind `bad_request` that names the levels of the model */
export function checkThoughtLevel(
  level: ThoughtLevel | undefined,
  id: ModelId,
  { thoughtLevels = [] }: ModelCapabilities,
): void {
  if (level === undefined || thoughtLevels.includes(level)) return;
  const name = `${id.provider}/${id.model}`;
  throw modelError(
    thoughtLevels.length === 0
      ? `No thought level can be chosen for the model ${name}: leave it out, or choose another model.`
      : `The model ${name} has no thought level "${level}": choose one of ${thoughtLevels.join(", ")}.`,
    { ...id, kind: "bad_request" },
  );
}
