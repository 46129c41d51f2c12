import type { AgentRole } from "./agent.ts";
import type { ReflectorRole } from "./reflector.ts";
import type { SkillManagerRole } from "./skill-manager.ts";

/** The three roles of ACE: act, reflect, curate. */
export interface RoleSet {
  readonly agent: AgentRole;
  readonly reflector: ReflectorRole;
  readonly skillManager: SkillManagerRole;
}
