import type { Project, SandboxRef } from "../sandbox/sandboxes.ts";
import type { PlanParts } from "./plan-parts.ts";
import type { ArchivedPatch, Plan } from "./plan.ts";

const MAX_CHARS = 128 * 1024;

/** The change as a patch, for readers after the sandbox is gone. Null when it cannot be told any more: no reason to fail. */
export async function archivedPatch(
  { sandboxes, logger }: Pick<PlanParts, "sandboxes" | "logger">,
  plan: Pick<Plan, "plan_id" | "base"> & {
    readonly project: Project;
    readonly sandbox: SandboxRef;
  },
  signal: AbortSignal,
): Promise<ArchivedPatch | null> {
  const { project, base, sandbox } = plan;
  try {
    const { patch = "", truncated } = await sandboxes.diff(
      { project, base, sandbox },
      { format: "patch", signal },
    );
    if (patch.length <= MAX_CHARS) return { patch, truncated };
    // Whole lines only.
    const end = patch.lastIndexOf("\n", MAX_CHARS) + 1;
    return { patch: patch.slice(0, end), truncated: true };
  } catch (error) {
    logger.warn("the patch of a plan could not be kept", {
      plan_id: plan.plan_id,
      reason: error instanceof Error ? error.message : String(error),
    });
    return null;
  }
}
