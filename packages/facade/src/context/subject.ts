import type { Caller } from "../access/caller.ts";
import { ValidationError } from "../errors/domain-error.ts";
import type { Project } from "../sandbox/sandboxes.ts";
import type { ContextInput } from "../services/context-service.ts";
import type { ProjectRegistry } from "../services/project-registry.ts";
import type { ContextRecords, KnownPlan, KnownSession } from "./context-records.ts";

/** What a context is about. */
export interface Subject {
  readonly project: Project;
  readonly plan: KnownPlan | undefined;
  readonly session: KnownSession | undefined;
  /** Of the session, the newest first; empty when a plan was named. */
  readonly plans: readonly KnownPlan[];
}

/**
 * Without plan and session: the default project.
 * @throws ResourceNotFoundError, also for what belongs to somebody else; ValidationError for a plan and a project or session that do not
 * belong together
 */
export async function subjectOf(
  { plan_id: planId, session_id: sessionId, project: named }: ContextInput,
  caller: Caller,
  { records, projects }: { readonly records: ContextRecords; readonly projects: ProjectRegistry },
): Promise<Subject> {
  const plan = planId === undefined ? undefined : await records.plan(planId, caller);
  const session = sessionId === undefined ? undefined : await records.session(sessionId, caller);
  if (plan !== undefined && session !== undefined && plan.session_id !== session.session_id) {
    throw apart("session_id", "The plan does not belong to this session");
  }
  const isOfSession = plan === undefined && session !== undefined;
  const plans = isOfSession ? await records.plansOf(session.session_id, caller) : [];
  const [nearest = plan] = plans;
  const project = await projects.find(named ?? nearest?.project?.path);
  if (plan?.project !== undefined && plan.project.path !== project.path) {
    throw apart("project", `The plan belongs to the project ${plan.project.name}`);
  }
  return { project, plan, session, plans };
}

function apart(field: string, message: string): Error {
  return new ValidationError(`${message}.`, [{ path: [field], message }]);
}
