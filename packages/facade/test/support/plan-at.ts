import { NO_USAGE } from "@acumen/models";
import { SCOPES } from "../../src/access/scope.ts";
import type { Plan, PlanPhase, PlanState } from "../../src/plans/plan.ts";
import type { PlanPoint } from "../../src/plans/transitions.ts";
import { PROJECT, TASK } from "./plan-bench.ts";

const NOW = "2026-01-01T00:00:00.000Z";

export const CHANGESET: NonNullable<Plan["changeset"]> = {
  digest: "d".repeat(64),
  base_commit: "commit-1",
  head_commit: "head",
  stats: { files: 1, insertions: 1, deletions: 0 },
  changes: [],
};

const BLANK: Omit<Plan, "phase" | "state"> = {
  plan_id: "01JPLAN0000000000000000000",
  owner: "local",
  version: 1,
  attempt: 1,
  reversion_count: 0,
  runs: 0,
  worker: null,
  action: {
    name: TASK.name,
    description: TASK.description,
    digest: TASK.digest,
    source: TASK.source,
    prompt: "Do this.",
    definition_of_done: null,
    validations: [],
  },
  arguments: { prompt: "x" },
  project: PROJECT,
  profile: { name: "supervised", source: "default" },
  session_id: null,
  scopes: SCOPES,
  token_id: null,
  models: { strategy: null, execution: null },
  base: { commit: "commit-1", target_ref: "refs/heads/main", warnings: [] },
  execute_requested: false,
  apply_request: null,
  waiting_for: null,
  strategy: null,
  isolation: null,
  sandbox: null,
  changeset: null,
  validations: null,
  conflicts: null,
  error: null,
  receipt: null,
  merge: null,
  findings: null,
  archive: null,
  pending_approvals: [],
  allowed_calls: [],
  usage: NO_USAGE,
  created_at: NOW,
  updated_at: NOW,
  phase_started_at: null,
};

const STRATEGY = { rationale: "Because.", steps: [] };
const SANDBOX = { path: `/sandboxes/${BLANK.plan_id}/1`, branch: "attempt-1", attempt: 1 };

/** A record as it stands at that point, with what it has by then. */
export function planAt(point: PlanPoint, patch: Partial<Plan> = {}): Plan {
  const [phase, state] = point.split("/") as [PlanPhase, PlanState];
  const wasExecuted = phase === "apply" || point === "execute/complete";
  const hasCopy = wasExecuted || (phase === "execute" && state !== "queued");
  return {
    ...BLANK,
    phase,
    state,
    ...(phase !== "strategize" && { strategy: STRATEGY, execute_requested: true }),
    ...(hasCopy && { sandbox: SANDBOX }),
    ...(wasExecuted && { changeset: CHANGESET }),
    ...(phase === "apply" && {
      apply_request: { expected_digest: null, expected_target_head: null, message: null },
    }),
    ...patch,
  };
}
