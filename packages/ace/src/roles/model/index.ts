import type { Model } from "@acumen/models";
import type { RoleSet } from "../role-set.ts";
import { ModelAgent } from "./model-agent.ts";
import { ModelReflector } from "./model-reflector.ts";
import { ModelSkillManager } from "./model-skill-manager.ts";
import type { ModelRoleOptions } from "./role-caller.ts";

/** The three roles on one language model. */
export function createModelRoles(model: Model, options: ModelRoleOptions = {}): RoleSet {
  return {
    agent: new ModelAgent(model, options),
    reflector: new ModelReflector(model, options),
    skillManager: new ModelSkillManager(model, options),
  };
}
