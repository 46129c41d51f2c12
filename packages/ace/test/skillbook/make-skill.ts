import type { Skill } from "../../src/skillbook/skill.ts";

/** A skill for tests; the number makes the id. */
export function makeSkill(number: number, content: string, fields: Partial<Skill> = {}): Skill {
  const section = fields.section ?? "general";
  return {
    id: `${section}-${String(number).padStart(5, "0")}`,
    section,
    content,
    justification: null,
    evidence: null,
    helpful: 0,
    harmful: 0,
    neutral: 0,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    status: "active",
    sources: [],
    ...fields,
  };
}
