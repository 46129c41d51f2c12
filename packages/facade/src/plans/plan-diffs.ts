import type { Change } from "../sandbox/change.ts";
import type { DiffOptions, SandboxDiff, SandboxRef } from "../sandbox/sandboxes.ts";
import type { PlanDiff } from "../services/plan-lifecycle-service.ts";
import { type PageOptions, pageOfDiff } from "./diff-page.ts";
import { checkAllowed, verdictOf } from "./legal-calls.ts";
import type { PlanParts } from "./plan-parts.ts";
import type { PlanKey } from "./plan-records.ts";
import type { Changeset, Plan } from "./plan.ts";
import { pointOf } from "./transitions.ts";

/** Changes of a page for which no limit was given. */
const MAX_CHANGES = 5000;

type Options = DiffOptions & PageOptions;
type Place = Parameters<PlanParts["sandboxes"]["diff"]>[0];
type Paged = Pick<PlanDiff, "diff" | "nextCursor">;

/** The real change of a plan: of its sandbox, or as it was kept when that was removed. */
export class PlanDiffs {
  readonly #parts: PlanParts;

  constructor(parts: PlanParts) {
    this.#parts = parts;
  }

  /**
   * @throws BusinessRuleViolation before there is a sandbox, PlanError when it is gone; ValidationError and ConflictError for a cursor that
   * is not of this change
   */
  async diff(key: PlanKey, options: Options): Promise<PlanDiff> {
    const plan = await this.#parts.records.get(key);
    checkAllowed(plan, "plan.diff");
    const verdict = verdictOf(pointOf(plan), "plan.diff");
    const { sandbox, changeset } = plan;
    if (verdict === "archived" && changeset !== null) {
      const page = archivedPage(plan, changeset, options);
      return { plan, ...page, mergeable: null, partial: false };
    }
    if (sandbox === null) {
      const diff = nothingYet(plan);
      const { nextCursor } = pageOfDiff(diff, options);
      return { plan, diff, nextCursor, mergeable: null, partial: true };
    }
    const place = await this.#place(plan, sandbox);
    const isPartial = verdict === "partial";
    const page = await this.#page(place, options, isPartial);
    const isMerging = plan.state === "queued" || plan.state === "processing";
    const mergeable =
      isPartial || isMerging
        ? null
        : await this.#parts.sandboxes.mergeability(place, options.signal);
    return { plan, ...page, mergeable, partial: isPartial };
  }

  /** One reading: what is shown, its patch and its digest are of the same moment, also while the attempt goes on. */
  async #page(place: Place, options: Options, live: boolean): Promise<Paged> {
    const { cursor, limit = MAX_CHANGES, ...wanted } = options;
    const asked = {
      limit,
      ...(cursor !== undefined && { cursor }),
      ...(wanted.paths !== undefined && { paths: wanted.paths }),
    };
    let nextCursor = null as string | null;
    const diff = await this.#parts.sandboxes.diff(place, {
      ...wanted,
      live,
      pick: (all) => {
        const page = pageOfDiff(all, asked);
        nextCursor = page.nextCursor;
        return page.changes;
      },
    });
    return { diff: { ...diff, truncated: diff.truncated || nextCursor !== null }, nextCursor };
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

function archivedPage({ archive }: Plan, changeset: Changeset, options: Options): Paged {
  const { base_commit, head_commit, digest, changes, stats } = changeset;
  const { format, paths } = options;
  const isChosen = ({ path }: Change): boolean =>
    paths === undefined || paths.some((wanted) => path === wanted || path.startsWith(`${wanted}/`));
  const page = pageOfDiff({ digest, changes: changes.filter(isChosen) }, options);
  const isShown = new Set(page.changes);
  const isWhole = page.changes.length === changes.length;
  const patch = isWhole ? archive?.patch : shownSections(archive?.patch, changes, isShown);
  const isCut = archive === null ? format !== "summary" : archive.truncated;
  const diff = {
    base_commit,
    head_commit,
    digest,
    changes: page.changes,
    stats,
    ...(format !== "summary" && patch !== undefined && { patch }),
    truncated: isCut || page.nextCursor !== null,
  };
  return { diff, nextCursor: page.nextCursor };
}

/**
 * A patch has one section for each change, in the same order. A line of a file's text never begins like the head of one: a sign comes
 * first.
 */
function shownSections(
  patch: string | undefined,
  changes: readonly Change[],
  isShown: ReadonlySet<Change>,
): string | undefined {
  const sections = patch?.split(/^(?=diff --git )/m);
  const shown = sections?.filter((_, index) => {
    const change = changes[index];
    return change !== undefined && isShown.has(change);
  });
  return shown?.join("");
}
