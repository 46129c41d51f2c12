import { AcumenError, throwIfAborted, untilAborted } from "@acumen/core";
import { aceError } from "../errors.ts";
import type { AnyStep } from "./step.ts";

/**
 * Runs one step on the fields collected so far and returns them with what it provided. Ends at once when the signal
 * aborts, whether or not the step listens to it.
 * @throws ACE_PIPELINE_INVALID when a required field is absent, or a promised one did not come, or an unpromised one did.
 */
export async function runStep<Fields extends object>(
  step: AnyStep<Fields>,
  fields: Partial<Fields>,
  signal: AbortSignal | undefined,
): Promise<Partial<Fields>> {
  const provided = await runUntilAborted(
    () => step.run(pickRequired(step, fields), signal),
    signal,
  );
  checkProvided(step, provided);
  return { ...fields, ...provided };
}

/** Starts work unless the signal is aborted, and leaves it at once when the signal aborts, whether or not it listens. */
export async function runUntilAborted<T>(
  start: () => T | Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  throwIfAborted(signal);
  const work = Promise.resolve(start());
  // Abandoned work may fail long after its caller has left; nobody would be there to hear of it.
  work.catch(() => undefined);
  return untilAborted(work, signal);
}

/** What failed a context: coded errors as they are, anything else wrapped without repeating its text (it may hold secrets). */
export function stepError(step: string, cause: unknown): AcumenError {
  if (AcumenError.isInstance(cause)) return cause;
  const kind = cause instanceof Error ? cause.constructor.name : typeof cause;
  return aceError(
    "ACE_ROLE_FAILED",
    `Step "${step}" threw an error without a code (${kind}). See the error's cause, and make the role throw a coded error.`,
    { cause, details: { step, kind } },
  );
}

function pickRequired<Fields extends object>(
  step: AnyStep<Fields>,
  fields: Partial<Fields>,
): Fields {
  const input: Partial<Fields> = {};
  for (const field of step.requires) {
    const value = fields[field];
    if (value === undefined) {
      throw aceError(
        "ACE_PIPELINE_INVALID",
        `Step "${step.name}" requires "${String(field)}", which this context does not have. Pass it in, or add a step that provides it.`,
        { details: { step: step.name, field: String(field) } },
      );
    }
    input[field] = value;
  }
  // Holds every field that the step declared; the others are withheld so that an undeclared need shows at once.
  return input as Fields;
}

function checkProvided<Fields extends object>(
  step: AnyStep<Fields>,
  provided: Partial<Fields>,
): void {
  const values = provided as Readonly<Record<PropertyKey, unknown>> | null | undefined;
  const missing = step.provides.find((field) => values?.[field] === undefined);
  const extra = Object.keys(provided ?? {}).find(
    (key) => !step.provides.some((field) => field === key),
  );
  if (missing === undefined && extra === undefined) return;
  const field = String(missing ?? extra);
  throw aceError(
    "ACE_PIPELINE_INVALID",
    missing === undefined
      ? `Step "${step.name}" returned "${field}" without declaring it. Add it to the step's provides.`
      : `Step "${step.name}" promised "${field}" and did not return it.`,
    { details: { step: step.name, field } },
  );
}
