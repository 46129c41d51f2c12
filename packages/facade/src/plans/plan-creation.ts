import { createId, throwIfAborted } from "@acumen/core";
import { NO_USAGE, parseModelId } from "@acumen/models";
import picomatch from "picomatch";
import type { Caller } from "../access/caller.ts";
import { AcpNotAvailableError } from "../errors/acp-error.ts";
import {
  AuthorizationError,
  BusinessRuleViolation,
  ConflictError,
  ValidationError,
} from "../errors/domain-error.ts";
import type { PlanBase, Project } from "../sandbox/sandboxes.ts";
import type { Action } from "../services/action-registry.ts";
import type { UseActionInput } from "../services/plan-lifecycle-service.ts";
import type { FacadeSession } from "../sessions/facade-session.ts";
import { checkedArguments, filledPrompt } from "./argument-values.ts";
import { placeOf, planEvent } from "./plan-move.ts";
import type { PlanParts } from "./plan-parts.ts";
import type { Plan } from "./plan.ts";
import { DEFAULT_PROFILE, PROFILES } from "./profile.ts";
import { WAITING } from "./waiting.ts";

/** These read files of the server's machine as if they were models. */
const FILE_MODELS = ["scripted", "recorded"];

/** Plans that are made at once in one session each write it; more losses than this in a row are a fault. */
const MAX_TRIES = 200;

/** Makes plans: everything that is read of the project is read at its base, once, and kept. */
export class PlanCreation {
  readonly #parts: PlanParts;

  constructor(parts: PlanParts) {
    this.#parts = parts;
  }

  /**
   * A keyed request that was carried out before finds its plan by the id that was reserved for it.
   * @throws ResourceNotFoundError, ValidationError, AuthorizationError, BusinessRuleViolation
   */
  async create(input: UseActionInput, caller: Caller): Promise<Plan> {
    const { reservedId, principal } = caller;
    const made =
      reservedId === undefined
        ? undefined
        : await this.#parts.store.plan(principal.owner, reservedId);
    return made ?? this.#make(input, caller, reservedId ?? createId());
  }

  async #make(input: UseActionInput, caller: Caller, planId: string): Promise<Plan> {
    const { projects, sandboxes, logger } = this.#parts;
    this.#checkModels(input, caller);
    const session = await this.#session(input, caller);
    const project = await projects.find(input.project);
    await this.#checkInAdvance(input, caller, { session, project });
    const base = await sandboxes.base(project, planId);
    try {
      const plan = await this.#plan({ input, caller, session, project, planId, base });
      await this.#insert(plan, caller);
      return plan;
    } catch (error) {
      // Whether it was stored, only the store knows.
      const stored = await this.#parts.store.plan(caller.principal.owner, planId).catch(() => true);
      if (stored === undefined) {
        await sandboxes.remove({ planId, project }).catch((reason: unknown) => {
          logger.warn("the pin of a plan that was not made could not be removed", {
            plan_id: planId,
            reason: String(reason),
          });
        });
      }
      throw error;
    }
  }

  /**
   * With the next version of its session: whoever closes that one at the same time has either been faster, and there is no plan, or
   * must look again, and finds the plan.
   */
  async #insert(plan: Plan, caller: Caller): Promise<void> {
    const drafts = [planEvent(plan, "plan.created", createdData(plan))];
    for (let tries = 1; ; tries += 1) {
      const sessions = await this.#touchedSession(plan, caller);
      throwIfAborted(caller.signal);
      try {
        await this.#parts.records.insert(plan, drafts, sessions);
        return;
      } catch (error) {
        const isLost = error instanceof ConflictError && "session_id" in error.details;
        if (!isLost || tries === MAX_TRIES) throw error;
      }
    }
  }

  /** Looked at again, because reading the project took its time. Sessions of a user's own service are not in the store. */
  async #touchedSession(
    { session_id: sessionId, owner, created_at }: Plan,
    caller: Caller,
  ): Promise<readonly FacadeSession[]> {
    if (sessionId === null) return [];
    const session = await this.#parts.store.session(owner, sessionId);
    if (session === undefined) {
      await this.#session({ session_id: sessionId }, caller);
      return [];
    }
    checkOpen(session);
    return [{ ...session, version: session.version + 1, updated_at: created_at }];
  }

  async #plan(found: {
    readonly input: UseActionInput;
    readonly caller: Caller;
    readonly session: FacadeSession | undefined;
    readonly project: Project;
    readonly planId: string;
    readonly base: PlanBase;
  }): Promise<Plan> {
    const { input, caller, session, project, planId, base } = found;
    const { principal } = caller;
    const action = await this.#action(input.action_name, project, base);
    const { values, profile } = checkedInput(input, caller, { action, session });
    const now = this.#parts.clock.now().toISOString();
    return {
      plan_id: planId,
      owner: principal.owner,
      version: 1,
      phase: "strategize",
      state: "queued",
      attempt: 1,
      reversion_count: 0,
      runs: 0,
      worker: null,
      action: {
        name: action.name,
        description: action.description,
        digest: action.digest,
        source: action.source,
        prompt: filledPrompt(action.body, action.arguments, values),
        definition_of_done: action.definition_of_done,
        validations: project.trusted ? action.validations : [],
      },
      arguments: values,
      project,
      profile,
      session_id: session?.session_id ?? null,
      scopes: principal.scopes,
      token_id: principal.tokenId,
      models: {
        strategy: input.strategy_model ?? null,
        execution: input.execution_model ?? null,
      },
      base,
      execute_requested: false,
      apply_request: null,
      waiting_for: this.#firstWait(profile.name),
      ...NOTHING_YET,
      created_at: now,
      updated_at: now,
    };
  }

  #firstWait(profile: Plan["profile"]["name"]): string | null {
    if (this.#parts.executor() === undefined) return WAITING.executor;
    return PROFILES[profile].strategizes ? null : WAITING.execute;
  }

  /** What can be refused before the project is touched is. */
  async #checkInAdvance(
    input: UseActionInput,
    caller: Caller,
    {
      session,
      project,
    }: { readonly session: FacadeSession | undefined; readonly project: Project },
  ): Promise<void> {
    const name = input.action_name;
    const isForeign = !project.trusted && !name.startsWith("builtin/");
    if (isForeign) throw untrusted(name, project);
    const action = await this.#parts.actions.inAdvance?.(name, project);
    if (action !== undefined) checkedInput(input, caller, { action, session });
    else if (input.profile !== undefined) checkScope(input.profile, caller);
  }

  /** Of a project that is not trusted, only built-in actions are used. */
  async #action(name: string, project: Project, base: PlanBase): Promise<Action> {
    const action = await this.#parts.actions.atBase(name, project, base);
    if (!project.trusted && action.source !== "builtin") throw untrusted(name, project);
    return action;
  }

  async #session(
    { session_id: sessionId }: Pick<UseActionInput, "session_id">,
    caller: Caller,
  ): Promise<FacadeSession | undefined> {
    if (sessionId === undefined) return undefined;
    const { sessions } = this.#parts;
    if (sessions.get === undefined) {
      throw new AcpNotAvailableError(
        "The session of the plan cannot be checked: the service session_service has no method get. Leave session_id out.",
        { details: { service: "session_service", method: "get" } },
      );
    }
    const session = await sessions.get(sessionId, caller);
    checkOpen(session);
    return session;
  }

  /** A model id that came over a wire reads no file of this machine, and is one of those that the server allows. */
  #checkModels(input: UseActionInput, { principal }: Caller): void {
    const fields = ["strategy_model", "execution_model"] as const;
    for (const field of fields) {
      const id = input[field];
      if (id === undefined) continue;
      const provider = providerOf(id, field);
      if (principal.tokenId === null) continue;
      const { allowedModels } = this.#parts.settings;
      const isFile = FILE_MODELS.includes(provider);
      const isAllowed = allowedModels === undefined || picomatch.isMatch(id, [...allowedModels]);
      if (isFile || !isAllowed) {
        const rest = isFile
          ? `${provider}/ models are chosen by whoever starts the server`
          : `the server allows ${allowedModels?.join(", ") ?? "none"}`;
        throw new AuthorizationError(`The model ${id} may not be chosen by a request: ${rest}.`, {
          details: { field, model: id },
        });
      }
    }
  }
}

/** @throws BusinessRuleViolation */
function checkOpen({ session_id: sessionId, status }: FacadeSession): void {
  if (status === "open") return;
  throw new BusinessRuleViolation(
    `The session ${sessionId} is ${status}; open another one, or leave session_id out.`,
    { details: { session_id: sessionId, status } },
  );
}

/** @throws ValidationError */
function providerOf(id: string, field: string): string {
  try {
    return parseModelId(id).provider;
  } catch (error) {
    const message = error instanceof Error ? error.message : "not a model id";
    throw new ValidationError(message, [{ path: [field], message }], { cause: error });
  }
}

const NOTHING_YET = {
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
  phase_started_at: null,
} as const satisfies Partial<Plan>;

/** @throws ValidationError for arguments that do not fit, AuthorizationError for a profile beyond the caller's scopes */
function checkedInput(
  input: UseActionInput,
  caller: Caller,
  { action, session }: { readonly action: Action; readonly session: FacadeSession | undefined },
) {
  const values = checkedArguments(action.name, action.arguments, input.arguments ?? {});
  const profile = profileOf(input, action, session);
  checkScope(profile.name, caller);
  return { values, profile };
}

function profileOf(
  input: UseActionInput,
  action: Action,
  session: FacadeSession | undefined,
): Plan["profile"] {
  if (input.profile !== undefined) return { name: input.profile, source: "plan" };
  if (action.profile !== null) return { name: action.profile, source: "action" };
  const ofSession = session?.profile ?? null;
  if (ofSession !== null) return { name: ofSession, source: "session" };
  return { name: DEFAULT_PROFILE, source: "default" };
}

function checkScope(profile: Plan["profile"]["name"], { principal }: Caller): void {
  const { scope } = PROFILES[profile];
  if (scope === undefined || principal.scopes.includes(scope)) return;
  throw new AuthorizationError(
    `The profile ${profile} needs the scope ${scope}, which the token does not have. Use another profile, such as supervised, or another token.`,
    { details: { scope, profile } },
  );
}

function untrusted(action: string, { path }: Project): AuthorizationError {
  return new AuthorizationError(
    `The project ${path} is not trusted, so that its action ${action} is not used. Trust it (acumen trust ${path}), or use an action of builtin/.`,
    { details: { project: path, action } },
  );
}

function createdData(plan: Plan) {
  const { action, project, profile, base } = plan;
  return {
    ...placeOf(plan),
    action_name: action.name,
    project: project.path,
    profile: profile.name,
    base_commit: base.commit,
  };
}
