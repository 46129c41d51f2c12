import type { ReflectorOutput } from "../roles/reflector.ts";
import type { SkillManagerOutput } from "../roles/skill-manager.ts";
import type { TagOperation } from "../skillbook/operation.ts";
import { parseOperation } from "../skillbook/operation-parse.ts";
import type { SkillbookView } from "../skillbook/view.ts";

type ProposedOperation = SkillManagerOutput["update"]["operations"][number];

/**
 * The reflectors' tags as TAG operations, followed by what the skill manager proposed. One experience counts once per skill
 * and tag, whoever names it and how often. Tags come first, because a skill that the update removes takes none afterwards.
 */
export function withSkillTags(
  operations: readonly ProposedOperation[],
  reflections: readonly ReflectorOutput[],
  skillbook: SkillbookView,
): readonly ProposedOperation[] {
  const counted = new Set<string>();
  const kept = operations.flatMap((operation): readonly ProposedOperation[] => {
    const parsed = parseOperation(operation);
    if (!("operation" in parsed) || parsed.operation.type !== "TAG") return [operation];
    const { skillId, tags } = parsed.operation;
    const fresh = tags.filter((tag) => !counted.has(`${tag} ${skillId}`));
    for (const tag of tags) counted.add(`${tag} ${skillId}`);
    if (fresh.length === tags.length) return [operation];
    return fresh.map((tag) => ({ type: "TAG", skillId, tag }));
  });
  const added: TagOperation[] = [];
  for (const [reflectionIndex, { skillTags }] of reflections.entries()) {
    for (const { id, tag } of skillTags) {
      const key = `${tag} ${id}`;
      if (counted.has(key) || skillbook.get(id)?.status !== "active") continue;
      counted.add(key);
      added.push({ type: "TAG", skillId: id, tag, reflectionIndex });
    }
  }
  return [...added, ...kept];
}
