import { isJsonObject } from "@acumen/core";
import type { AceServer } from "./ace-server.ts";

/** A skill as `ace.skillbook.get` shows it. */
export interface LearnedSkill {
  readonly id: string;
  readonly topic: string;
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
): Promise<readonly LearnedSkill[]> {
  const reply = await server.call("ace.skillbook.get", { session_id: session, limit: PAGE });
  const { skills } = reply;
  return Array.isArray(skills) ? skills.filter(isJsonObject).map(skillOf) : [];
}

/** The best skill of each topic, best topic first: a look at the breadth of the book, not at one corner of it. */
export function bestOfEachTopic(
  skills: readonly LearnedSkill[],
  count: number,
): readonly LearnedSkill[] {
  const chosen = new Map<string, LearnedSkill>();
  for (const skill of skills) {
    if (!chosen.has(skill.topic)) chosen.set(skill.topic, skill);
  }
  return [...chosen.values()].slice(0, count);
}

function skillOf(value: Readonly<Record<string, unknown>>): LearnedSkill {
  const { id, topic, content, evidence, helpful, harmful, neutral } = value;
  return {
    id: text(id),
    topic: text(topic),
    content: text(content),
    evidence: text(evidence),
    helpful: Number(helpful ?? 0),
    harmful: Number(harmful ?? 0),
    neutral: Number(neutral ?? 0),
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
