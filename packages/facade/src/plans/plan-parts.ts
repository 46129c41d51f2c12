import type { Clock, Logger } from "@acumen/core";
import type { Redactor } from "@acumen/agent";
import type { ActionRegistry } from "../services/action-registry.ts";
import type { ProjectRegistry } from "../services/project-registry.ts";
import type { SessionService } from "../services/session-service.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import type { After } from "./after.ts";
import type { PlanExecutor } from "./plan-executor.ts";
import type { PlanRecords } from "./plan-records.ts";

export interface PlanSettings {
  /** Plans that strategize or execute at once, and as many that are applied. Default 4. */
  readonly concurrency?: number;
  /** How long a tool call waits for an answer; then it is rejected. Default 15 minutes. */
  readonly approvalTimeoutMs?: number;
  /** Validations and commands that nobody approved may run without isolation. Default false. */
  readonly allowUnisolated?: boolean;
  /** Which models a request with a token may name, as globs such as `openai/*`. Absent: all but `scripted/` and `recorded/`. */
  readonly allowedModels?: readonly string[];
}

/** What the parts of the plan service share. */
export interface PlanParts {
  readonly store: Pick<FacadeStore, "plan" | "plans" | "unfinishedPlans" | "token" | "session">;
  readonly records: PlanRecords;
  readonly projects: ProjectRegistry;
  readonly actions: Pick<ActionRegistry, "atBase" | "inAdvance">;
  readonly sandboxes: Sandboxes;
  readonly sessions: Pick<SessionService, "get">;
  /** As of now: one may be registered later. */
  readonly executor: () => PlanExecutor | undefined;
  readonly settings: Required<Omit<PlanSettings, "allowedModels">> &
    Pick<PlanSettings, "allowedModels">;
  readonly clock: Clock;
  readonly after: After;
  readonly logger: Logger;
  readonly redact: Redactor;
}
