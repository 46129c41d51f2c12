import type { RoleSet } from "../role-set.ts";
import { CaseIndex } from "./case-index.ts";
import { RecallAgent } from "./recall-agent.ts";
import { RecallReflector } from "./recall-reflector.ts";
import { RecallSkillManager } from "./recall-skill-manager.ts";

export const RECALL_MODEL_ID = "builtin/recall";

/**
 * The roles of the embedded model `builtin/recall`: case-based reasoning without a language model, deterministic and offline. Its only
 * memory is the skillbook it is asked with.
 */
export function createRecallRoles(): RoleSet {
  const index = new CaseIndex();
  return {
    agent: new RecallAgent(index),
    reflector: new RecallReflector(),
    skillManager: new RecallSkillManager(index),
  };
}
