import type { BaseReader } from "./base-reader.ts";
import type { PlanFolder } from "./plan-folder.ts";
import type { PlanRecords } from "./plan-records.ts";
import type { Lender } from "./plan-repository.ts";
import type {
  ApplyOptions,
  ApplyResult,
  Mergeability,
  PlanBase,
  Project,
  SandboxRef,
} from "./sandboxes.ts";

export interface PlanAt {
  readonly folder: PlanFolder;
  readonly project: Project;
  readonly base: PlanBase;
}

/** What depends on the kind of a project: where a plan starts and how its change comes back. */
export interface ProjectSide {
  /** Makes the plan's git folder. */
  base(project: Project, folder: PlanFolder): Promise<PlanBase>;
  /** @throws PlanError when nothing is known of this base */
  reader(project: Project, base: PlanBase, records: PlanRecords): Promise<BaseReader>;
  lender(project: Project): Promise<Lender>;
  /** The user's folders, which commands of a plan must not see. */
  hidden(project: Project): Promise<readonly string[]>;
  mergeability(
    plan: PlanAt & { readonly sandbox: SandboxRef },
    signal: AbortSignal,
  ): Promise<Mergeability>;
  apply(options: ApplyOptions, folder: PlanFolder): Promise<ApplyResult>;
  wasApplied(
    plan: PlanAt,
    merge: { readonly commit: string | null; readonly target_ref: string | null },
  ): Promise<boolean>;
  /** Takes away what is kept in the project. */
  release(projectPath: string, planId: string): Promise<void>;
}
