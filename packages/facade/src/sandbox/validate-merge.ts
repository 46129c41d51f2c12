import { createId } from "@acumen/core";
import { join } from "node:path";
import { BusinessRuleViolation } from "../errors/domain-error.ts";
import { boundariesOf, makeWorkTree } from "./make-sandbox.ts";
import { attemptFolder, type PlanFolder } from "./plan-folder.ts";
import type { PlanRepository } from "./plan-repository.ts";
import type { ProjectSide } from "./project-side.ts";
import { notRun, runValidations } from "./run-validations.ts";
import type { SandboxContext } from "./sandbox-context.ts";
import type { ApplyOptions } from "./sandboxes.ts";
import type { ValidationResult } from "./validation.ts";

const UNISOLATED =
  "bubblewrap does not work on this machine, so commands of a plan cannot be kept to their folder; install it, or start the server with --allow-unisolated";

/** Runs a plan's validations at the merged files, in a fresh folder that is gone afterwards. */
export async function validateMerge(
  context: SandboxContext,
  side: ProjectSide,
  options: ApplyOptions,
  merge: {
    readonly repository: PlanRepository;
    readonly folder: PlanFolder;
    readonly commit: string;
  },
): Promise<readonly ValidationResult[]> {
  const { validations, project, signal, allowUnisolated } = options;
  if (validations.length === 0) return [];
  if (!project.trusted) {
    throw new BusinessRuleViolation(
      `${project.path} is not trusted, so its validations do not run and nothing is applied. Trust it first.`,
    );
  }
  const { repository, commit } = merge;
  const folder = attemptFolder(join(merge.folder.path, `check-${createId()}`));
  const lender = await side.lender(project);
  const boundaries = await boundariesOf(context, side, { project, repository, folder, lender });
  const bubblewrap = await context.isolation.bubblewrap(boundaries);
  if (bubblewrap === undefined && !allowUnisolated) {
    return validations.map((spec) => notRun(spec, UNISOLATED));
  }
  try {
    const branch = "acumen/merge";
    await makeWorkTree(context, { repository, folder, lender, branch, commit, signal });
    return await runValidations({
      specs: validations,
      bubblewrap,
      boundaries,
      environment: context.environment,
      redact: context.redact,
      clock: context.clock,
      signal,
      validated: (event) => options.validated(event),
    });
  } finally {
    await context.trash.take(folder.path);
  }
}

/** What did not pass, in one line; undefined: all did. */
export function failureOf(results: readonly ValidationResult[]): string | undefined {
  const failed = results.find(({ status }) => status !== "passed");
  if (failed === undefined) return undefined;
  if (failed.status === "not_run") return `Validations were not run: ${failed.output}.`;
  const how =
    failed.status === "timed_out"
      ? "took too long"
      : `ended with exit code ${failed.exit_code ?? "none"}`;
  return `The validation ${JSON.stringify(failed.name)} ${how}.`;
}
