import type { Caller } from "../access/caller.ts";
import { ResourceNotFoundError, ValidationError } from "../errors/domain-error.ts";
import type { Plan } from "../plans/plan.ts";
import type { Project } from "../sandbox/sandboxes.ts";
import type { ContextInput } from "../services/context-service.ts";
import type { ProjectRegistry } from "../services/project-registry.ts";
import type { FacadeSession } from "../sessions/facade-session.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import { wellFormed } from "./well-formed.ts";

/** What a context is about. */
export interface Subject {
  readonly project: Project;
  readonly plan: Plan | undefined;
  readonly session: FacadeSession | undefined;
  /** Of the session, the newest first; empty when a plan was named. */
  readonly plans: readonly Plan[];
}

const MOST_PLANS = 20;

/**
 * Without plan and session: the default project.
 * @throws ResourceNotFoundError, also for what belongs to somebody else; ValidationError for a plan and a project or session that do not
 * belong together
 */
export async function subjectOf(
  { plan_id: planId, session_id: sessionId, project: named }: ContextInput,
  { principal: { owner } }: Caller,
  { store, projects }: { readonly store: FacadeStore; readonly projects: ProjectRegistry },
): Promise<Subject> {
  const plan = await known("plan", planId, (id) => store.plan(owner, id));
  const session = await known("session", sessionId, (id) => store.session(owner, id));
  if (plan !== undefined && session !== undefined && plan.session_id !== session.session_id) {
    throw apart("session_id", "The plan does not belong to this session");
  }
  const plans = plan === undefined ? await plansOf(store, session) : [];
  const [nearest = plan] = plans;
  const project = await projects.find(named ?? nearest?.project.path);
  if (plan !== undefined && plan.project.path !== project.path) {
    throw apart("project", `The plan belongs to the project ${plan.project.name}`);
  }
  return { project, plan, session, plans };
}

async function known<T>(
  kind: "plan" | "session",
  id: string | undefined,
  find: (id: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (id === undefined) return undefined;
  const found = await find(id);
  if (found === undefined) throw missing(kind, id);
  return found;
}

async function plansOf(
  store: FacadeStore,
  session: FacadeSession | undefined,
): Promise<readonly Plan[]> {
  if (session === undefined) return [];
  const { owner, session_id: sessionId } = session;
  return (await store.plans({ owner, sessionId, limit: MOST_PLANS })).items;
}

function missing(kind: "plan" | "session", id: string): Error {
  return new ResourceNotFoundError(`There is no ${kind} ${JSON.stringify(wellFormed(id))}.`, {
    details: { [`${kind}_id`]: id },
  });
}

function apart(field: string, message: string): Error {
  return new ValidationError(`${message}.`, [{ path: [field], message }]);
}
