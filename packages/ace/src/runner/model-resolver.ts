import { AcumenError, type Clock, type Logger } from "@acumen/core";
import type { Model } from "@acumen/models";
import type { RoleSet } from "../roles/role-set.ts";
import { checkModelSettings, checkText, type ModelSettings } from "./ace-options.ts";
import type { RoleModels } from "./call-options.ts";
import { processEnvironment } from "./process-environment.ts";

/** Named here again, because importing the roles for it would load them at every start. */
export const RECALL_MODEL = "builtin/recall";

const OFFLINE_HINT = `Use "${RECALL_MODEL}" to try it offline.`;
const SETUP_KINDS = new Set<unknown>(["auth", "not_installed", "unknown_model"]);

export interface ResolveRolesOptions extends ModelSettings {
  readonly clock?: Clock;
  readonly logger?: Logger;
}

export interface BuildRolesOptions extends ResolveRolesOptions {
  /** Scripted models count their steps per session. */
  readonly session?: string;
  /** Stands between a build and its language model: whoever keeps models can answer with an earlier one. */
  readonly openModel?: (open: () => Promise<Model>) => Promise<Model>;
}

/**
 * The three roles for a model id: `builtin/recall`, or a language model as LiteLLM names it. Looks up the key and makes no request.
 * @throws MODEL_FAILED of kind `auth` (no key), `unknown_model`, `not_installed` or `bad_request` (an unusable address);
 * MODEL_SCRIPT_INVALID; ACE_OPTION_INVALID for settings out of range
 */
export async function resolveRoles(
  modelId: string,
  options: ResolveRolesOptions = {},
): Promise<RoleSet> {
  try {
    return await buildRoles(modelId, options);
  } catch (error) {
    throw withOfflineHint(error);
  }
}

/** {@link resolveRoles} for a model per role. */
export async function resolveRolesOf(
  { agent, reflector, skillManager }: RoleModels,
  options: ResolveRolesOptions,
): Promise<RoleSet> {
  const resolved = new Map<string, RoleSet>();
  for (const id of [agent, reflector, skillManager]) {
    if (!resolved.has(id)) resolved.set(id, await resolveRoles(id, options));
  }
  const rolesOf = (id: string): RoleSet => {
    const roles = resolved.get(id);
    if (roles === undefined) throw new Error(`the model ${id} was not resolved`);
    return roles;
  };
  return {
    agent: rolesOf(agent).agent,
    reflector: rolesOf(reflector).reflector,
    skillManager: rolesOf(skillManager).skillManager,
  };
}

/** {@link resolveRoles} without its hint, for callers that give one of their own. */
export async function buildRoles(
  modelId: string,
  options: BuildRolesOptions = {},
): Promise<RoleSet> {
  checkText("model", modelId, "filled");
  checkModelSettings(options);
  if (modelId === RECALL_MODEL) {
    const { createRecallRoles } = await import("../roles/recall/index.ts");
    return createRecallRoles();
  }
  const { env = processEnvironment(), allowScripted = false, logger, ...rest } = options;
  const { openModel = (open) => open(), ...settings } = rest;
  const { resolveModel } = await import("@acumen/models");
  const open = (): Promise<Model> =>
    resolveModel(modelId, { env, allowScripted, ...(logger && { logger }) });
  const model = await openModel(open);
  const { createModelRoles } = await import("../roles/model/index.ts");
  return createModelRoles(model, settings);
}

function withOfflineHint(error: unknown): unknown {
  if (!AcumenError.isInstance(error) || error.code !== "MODEL_FAILED") return error;
  const { code, message, details, retryable, cause } = error;
  if (!SETUP_KINDS.has(details["kind"]) || message.includes(RECALL_MODEL)) return error;
  return new AcumenError({
    code,
    message: `${message} ${OFFLINE_HINT}`,
    details,
    retryable,
    cause,
  });
}
