import { aceError } from "../errors.ts";
import { type AnyStep, STAGES } from "./step.ts";

/**
 * Refuses a list of steps that cannot work, before anything runs.
 * @throws ACE_PIPELINE_INVALID naming step and field: a required field that nobody earlier provides, stages out of order,
 * two steps of one name, an `after` step that needs what a failed context may lack.
 */
export function checkSteps<Fields extends object>(
  steps: readonly AnyStep<Fields>[],
  inputs: readonly (keyof Fields)[],
): void {
  const names = new Set<string>();
  const available = new Set<keyof Fields>(inputs);
  let stage = 0;
  for (const step of steps) {
    if (names.has(step.name)) {
      throw invalid(step.name, `Two steps are named "${step.name}". Give each step its own name.`);
    }
    names.add(step.name);
    const own = STAGES.indexOf(step.stage);
    if (own < stage) {
      throw invalid(
        step.name,
        `Step "${step.name}" of stage "${step.stage}" follows a step of stage "${STAGES[stage] ?? ""}". Order the steps ${STAGES.join(", ")}.`,
      );
    }
    stage = own;
    checkRequired(step, steps, step.stage === "after" ? new Set(inputs) : available);
    for (const field of step.provides) available.add(field);
  }
}

function checkRequired<Fields extends object>(
  step: AnyStep<Fields>,
  steps: readonly AnyStep<Fields>[],
  available: ReadonlySet<keyof Fields>,
): void {
  const missing = step.requires.find((field) => !available.has(field));
  if (missing === undefined) return;
  const field = String(missing);
  if (step.stage === "after") {
    throw invalid(
      step.name,
      `Step "${step.name}" runs after failed samples too, so it may only require inputs of the pipeline; "${field}" is none.`,
      field,
    );
  }
  const provider = steps.find((other) => other.provides.includes(missing));
  const remedy = provider
    ? `"${provider.name}" provides it later; put that step first.`
    : "No step provides it and it is not an input; add a step that does.";
  throw invalid(step.name, `Step "${step.name}" requires "${field}". ${remedy}`, field);
}

function invalid(step: string, message: string, field?: string) {
  return aceError("ACE_PIPELINE_INVALID", message, {
    details: { step, ...(field !== undefined && { field }) },
  });
}
