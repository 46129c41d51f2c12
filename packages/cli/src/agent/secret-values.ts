import type { ModelSources } from "../settings/model-environment.ts";
import { SECRET_NAMES } from "../settings/key-names.ts";

/** Every key that this process knows, for the redactor. */
export function secretValues({
  variables,
  stored,
}: Pick<ModelSources, "variables" | "stored">): string[] {
  const values = SECRET_NAMES.flatMap((name) => [variables[name], stored[name]]);
  return [...new Set(values.map((value) => value?.trim() ?? "").filter((value) => value !== ""))];
}
