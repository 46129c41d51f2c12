import type { Plan } from "./plan.ts";

const MAX_CHARS = 16_000;
const MAX_CONFLICTS = 50;
const MAX_OUTPUT_CHARS = 2000;

/** What an attempt taught, in words for the next strategy. */
export function findingsOf(plan: Plan, reason: string | undefined): string {
  const { error, conflicts, validations } = plan;
  const failed = (validations ?? []).filter(({ status }) => status !== "passed");
  const parts = [
    reason === undefined ? [] : [`Reason given: ${reason}`],
    error === null ? [] : [`It ended in ${error.phase} with ${error.code}: ${error.message}`],
    (conflicts ?? [])
      .slice(0, MAX_CONFLICTS)
      .map(({ path, kind }) => `Conflict with the target (${kind}): ${path}`),
    failed.map(
      ({ name, status, exit_code, output }) =>
        `Validation ${name} ${status}${exit_code === null ? "" : ` with exit code ${exit_code}`}:\n${output.slice(-MAX_OUTPUT_CHARS)}`,
    ),
    plan.findings === null ? [] : [`Of the attempt before it: ${plan.findings}`],
  ].flat();
  return parts.join("\n").slice(0, MAX_CHARS);
}
