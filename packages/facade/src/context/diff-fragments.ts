import { AcumenError } from "@acumen/core";
import type { Caller } from "../access/caller.ts";
import type { Change } from "../sandbox/change.ts";
import type { DroppedFragment } from "../services/context-service.ts";
import type { PlanLifecycleService } from "../services/plan-lifecycle-service.ts";
import { type Candidate, type Collected, formOf } from "./candidate.ts";
import type { KnownPlan } from "./context-records.ts";
import { wellFormed } from "./well-formed.ts";

const MOST_FILES = 100;
const EXCERPT_LINES = 30;

export interface CollectedDiff extends Collected {
  /** Relative, with `/`. */
  readonly changed: ReadonlySet<string>;
}

const NONE: CollectedDiff = { candidates: [], changed: new Set() };

/**
 * What the plan's attempt changes, file by file; nothing before there is an attempt.
 * @param isSecret whether a file (relative, with `/`) may not be shown
 * @throws the abort's error
 */
export async function diffFragments(
  plan: KnownPlan | undefined,
  plans: Pick<PlanLifecycleService, "diffPlan"> | undefined,
  isSecret: (path: string) => boolean,
  caller: Caller,
): Promise<CollectedDiff> {
  if (plan === undefined || plans?.diffPlan === undefined) return NONE;
  try {
    const { diff } = await plans.diffPlan(plan.plan_id, { format: "patch" }, caller);
    const pieces = (diff.patch ?? "").split(/^(?=diff --git )/m);
    const shown = diff.changes.filter(
      ({ path, old_path: old }) => !isSecret(path) && !isSecret(old ?? path),
    );
    const hidden = diff.changes.filter((change) => !shown.includes(change));
    const some = shown.slice(0, MOST_FILES);
    const left = (change: Change, reason: DroppedFragment["reason"]): DroppedFragment => ({
      uri: uriOf(plan.plan_id, change),
      reason,
      tokens: null,
    });
    return {
      candidates: some.map((change) => changeFragment(plan.plan_id, change, pieces)),
      dropped: [
        ...hidden.map((change) => left(change, "denied")),
        ...shown.slice(MOST_FILES).map((change) => left(change, "over_budget")),
      ],
      changed: new Set(diff.changes.map(({ path }) => path)),
      ...(diff.truncated && { warnings: ["The diff of the plan is cut."] }),
    };
  } catch (error) {
    if (caller.signal.aborted || !AcumenError.isInstance(error)) throw error;
    // Too early for one.
    if (error.code === "FACADE_INVALID_STATE") return NONE;
    return { ...NONE, warnings: [`The diff of the plan cannot be read: ${error.message}`] };
  }
}

function changeFragment(planId: string, change: Change, pieces: readonly string[]): Candidate {
  const { path, op, insertions, deletions, note } = change;
  const uri = uriOf(planId, change);
  const title = `Change of ${wellFormed(path)}`;
  const facts = `${op}, +${insertions ?? "?"} -${deletions ?? "?"}${note === null ? "" : `; ${note}`}`;
  const content = pieces.find((piece) => piece.startsWith(headOf(change)));
  const reference = formOf("reference", [{ uri, title, content: facts }]);
  const lines = content?.split("\n") ?? [];
  const head = `${lines.slice(0, EXCERPT_LINES).join("\n")}\n[cut]`;
  return {
    source: "diff",
    group: "files",
    uri,
    // A change that is under review matters more than what it is made in.
    score: 1.5,
    trust: "untrusted",
    forms: [
      ...(content === undefined ? [] : [formOf("full", [{ uri, title, content }])]),
      ...(lines.length > EXCERPT_LINES * 1.5
        ? [formOf("excerpt", [{ uri, title, content: head }])]
        : []),
      reference,
    ],
  };
}

function uriOf(planId: string, { path }: Change): string {
  const names = wellFormed(path).split("/").map(encodeURIComponent).join("/");
  return `diff:${planId}/${names}`;
}

function headOf({ path, old_path: old }: Change): string {
  return `diff --git a/${old ?? path} b/${path}\n`;
}
