import type { WorkspaceFacts } from "../agent/agent-options.ts";
import type { SessionEvent } from "../events/session-event.ts";
import type { SkillShelf } from "./skill-shelf.ts";

/** A skill that a turn was given. */
export interface AppliedSkill {
  /** As the prompt showed it. */
  readonly id: string;
  /** What its book says by now; absent: sessions can't use it any more. */
  readonly content?: string;
}

/** The skills that the last turn was given, in the order of its prompt. */
export async function appliedSkills(
  events: readonly SessionEvent[],
  shelf: SkillShelf,
  workspace: WorkspaceFacts,
): Promise<readonly AppliedSkill[]> {
  const last = events.findLast((event) => event.type === "SKILLS_APPLIED");
  const ids = last?.type === "SKILLS_APPLIED" ? last.payload.skill_ids : [];
  if (ids.length === 0) return [];
  const contents = await shelf.contents(workspace);
  return ids.map((id) => {
    const content = contents.get(id);
    return { id, ...(content !== undefined && { content }) };
  });
}
