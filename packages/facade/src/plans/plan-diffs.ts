import type { DiffOptions, SandboxDiff, SandboxRef } from "../sandbox/sandboxes.ts";
import type { PlanDiff } from "../services/plan-lifecycle-service.ts";
import { checkAllowed, verdictOf } from "./legal-calls.ts";
import type { PlanParts } from "./plan-parts.ts";
import type { PlanKey } from "./plan-records.ts";
import type { Changeset, Plan } from "./plan.ts";
import { pointOf } from "./transitions.ts";

/** The real change of a plan: of its sandbox, or as it was kept when that was removed. */
export class PlanDiffs {
  readonly #parts: PlanParts;

  constructor(parts: PlanParts) {
    this.#parts = parts;
  }

  /** @throws BusinessRuleViolation before there is a sandbox, PlanError when it is gone */
  async diff(key: PlanKey, options: DiffOptions): Promise<PlanDiff> {
    const plan = await this.#parts.records.get(key);
    checkAllowed(plan, "plan.diff");
    const verdict = verdictOf(pointOf(plan), "plan.diff");
    const { sandbox, changeset } = plan;
    if (verdict === "archived" && changeset !== null) {
      const diff = archivedDiff(plan, changeset, options);
      return { plan, diff, mergeable: null, partial: false };
    }
    if (sandbox === null) {
      return { plan, diff: nothingYet(plan), mergeable: null, partial: true };
    }
    const place = await this.#place(plan, sandbox);
    const diff = await this.#parts.sandboxes.diff(place, options);
    const isMerging = plan.state === "queued" || plan.state === "processing";
    const mergeable =
      verdict === "partial" || isMerging
        ? null
        : await this.#parts.sandboxes.mergeability(place, options.signal);
    return { plan, diff, mergeable, partial: verdict === "partial" };
  }

  async #place({ plan_id: planId, project, base }: Plan, sandbox: SandboxRef) {
    return { planId, project: await this.#parts.projects.find(project.path), base, sandbox };
  }
}

/** An attempt that waits for its worker has changed nothing. */
function nothingYet({ base }: Plan): SandboxDiff {
  return {
    base_commit: base.commit,
    head_commit: base.commit,
    digest: "",
    changes: [],
    stats: { files: 0, insertions: 0, deletions: 0 },
    patch: "",
    truncated: false,
  };
}

/** The whole patch or none: single files of it are not cut out. */
function archivedDiff(
  { archive }: Plan,
  changeset: Changeset,
  { format, paths }: DiffOptions,
): SandboxDiff {
  const { base_commit, head_commit, digest, changes, stats } = changeset;
  const isChosen = (path: string): boolean =>
    paths === undefined || paths.some((wanted) => path === wanted || path.startsWith(`${wanted}/`));
  return {
    base_commit,
    head_commit,
    digest,
    changes: changes.filter(({ path }) => isChosen(path)),
    stats,
    ...(format !== "summary" && archive !== null && { patch: archive.patch }),
    truncated: archive === null ? format !== "summary" : archive.truncated,
  };
}
