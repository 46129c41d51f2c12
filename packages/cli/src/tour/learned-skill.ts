import { isJsonObject } from "@acumen/core";
import type { AceServer } from "./ace-server.ts";
import type { SavedSkills } from "./saved-skills.ts";

/** A skill as `ace.skillbook.get` shows it, with the evidence that only the file holds. */
export interface LearnedSkill {
  readonly id: string;
  readonly content: string;
  readonly evidence: string;
  readonly helpful: number;
  readonly harmful: number;
  readonly neutral: number;
}

/** Most skills that one `ace.skillbook.get` returns. */
const PAGE = 200;

/** The session's skills, best first, at most {@link PAGE}. */
export async function listSkills(
  server: AceServer,
  session: string,
  saved: SavedSkills,
): Promise<readonly LearnedSkill[]> {
  const reply = await server.call("ace.skillbook.get", { session_id: session, limit: PAGE });
  const { skills } = reply;
  return Array.isArray(skills)
    ? skills.filter(isJsonObject).map((skill) => skillOf(skill, saved))
    : [];
}

/** The best skills whose conclusions (last lines) differ: a look at the breadth of the book, not at one corner of it. */
export function bestOfEachConclusion(
  skills: readonly LearnedSkill[],
  count: number,
): readonly LearnedSkill[] {
  const chosen = new Map<string, LearnedSkill>();
  for (const skill of skills) {
    const conclusion = skill.content.split("\n").at(-1) ?? "";
    if (!chosen.has(conclusion)) chosen.set(conclusion, skill);
  }
  return [...chosen.values()].slice(0, count);
}

function skillOf(value: Readonly<Record<string, unknown>>, saved: SavedSkills): LearnedSkill {
  const { content, helpful, harmful, neutral } = value;
  const id = text(value["id"]);
  const record = saved[id];
  return {
    id,
    content: text(content),
    evidence: isJsonObject(record) ? text(record["evidence"]) : "",
    helpful: Number(helpful ?? 0),
    harmful: Number(harmful ?? 0),
    neutral: Number(neutral ?? 0),
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
