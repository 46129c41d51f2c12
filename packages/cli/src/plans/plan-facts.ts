import type { JsonObject, JsonValue } from "@acumen/facade";

/** What commands show of a plan, as answers have it. */
export interface PlanFacts {
  readonly plan_id: string;
  readonly phase: string;
  readonly state: string;
  readonly waiting_for: string | null;
  readonly attempt: number;
  readonly terminal: boolean;
  readonly pending: readonly JsonObject[];
  readonly conflicts: readonly JsonObject[];
  /** Validations that did not pass. */
  readonly failed: readonly JsonObject[];
  readonly error: JsonObject | null;
  readonly isolation: string | null;
  /** Of the merge; null before, and in a plain folder. */
  readonly commit: string | null;
  readonly action: string;
  readonly project: string;
  readonly project_path: string;
  readonly created_at: string;
}

const FAILED: ReadonlySet<string> = new Set(["failed", "timed_out"]);

export function factsOf(data: JsonObject): PlanFacts {
  return {
    plan_id: textOf(data["plan_id"]),
    phase: textOf(data["phase"]),
    state: textOf(data["state"]),
    waiting_for: typeof data["waiting_for"] === "string" ? data["waiting_for"] : null,
    attempt: typeof data["attempt"] === "number" ? data["attempt"] : 1,
    terminal: data["terminal"] === true,
    pending: objectsOf(data["pending_approvals"]),
    conflicts: objectsOf(data["conflicts"]),
    failed: objectsOf(data["validations"]).filter(({ status }) => FAILED.has(textOf(status))),
    error: objectOf(data["error"]) ?? null,
    isolation: typeof data["isolation"] === "string" ? data["isolation"] : null,
    commit: textOf(objectOf(data["receipt"])?.["commit"]) || null,
    action: textOf(objectOf(data["action"])?.["name"]),
    project: textOf(objectOf(data["project"])?.["name"]),
    project_path: textOf(objectOf(data["project"])?.["path"]),
    created_at: textOf(data["created_at"]),
  };
}

/** Nothing goes on by itself: somebody is asked, or it is over. */
export function needsYou({ state, terminal, pending, waiting_for: waits }: PlanFacts): boolean {
  if (terminal || pending.length > 0) return true;
  if (state === "errored" || state === "constrained") return true;
  return (state === "complete" || state === "queued") && waits !== null;
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [];
  return list.map(objectOf).filter((each) => each !== undefined);
}

export function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}
