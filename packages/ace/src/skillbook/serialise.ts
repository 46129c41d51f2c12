import type { SimilarityDecision, SimilarityDecisionRecord } from "./similarity-decision.ts";
import type { Skill } from "./skill.ts";
import { type SourceRecord, toSourceRecord } from "./source-record.ts";

export const SKILLBOOK_FORMAT = "acumen.skillbook";
export const SKILLBOOK_VERSION = 1;

/** A skill on disk. The Python original 0.9 reads it as it is and drops the counters; 0.8 reads those too. */
export interface SkillRecord {
  id: string;
  section: string;
  content: string;
  justification: string | null;
  evidence: string | null;
  helpful: number;
  harmful: number;
  neutral: number;
  created_at: string;
  updated_at: string;
  status: string;
  sources: SourceRecord[];
  embedding?: unknown;
}

/** A book on disk, keys in this order. */
export interface SkillbookRecord {
  format: typeof SKILLBOOK_FORMAT;
  version: typeof SKILLBOOK_VERSION;
  skills: Record<string, SkillRecord>;
  sections: Record<string, string[]>;
  /** The highest number that an id has or had; the next id gets the number after it, as in the original. */
  next_id: number;
  similarity_decisions: Record<string, SimilarityDecisionRecord>;
}

export interface BookContent {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly decisions: ReadonlyMap<string, SimilarityDecision>;
  readonly lastNumber: number;
}

export function toBookRecord(book: BookContent): SkillbookRecord {
  const skills: [string, SkillRecord][] = [];
  const sections = new Map<string, string[]>();
  for (const skill of book.skills.values()) {
    skills.push([skill.id, toSkillRecord(skill)]);
    const ids = sections.get(skill.section);
    if (ids) ids.push(skill.id);
    else sections.set(skill.section, [skill.id]);
  }
  // `fromEntries` defines its keys, where an assignment to `__proto__` (a possible section) would set the prototype.
  return {
    format: SKILLBOOK_FORMAT,
    version: SKILLBOOK_VERSION,
    skills: Object.fromEntries(skills),
    sections: Object.fromEntries(sections),
    next_id: book.lastNumber,
    similarity_decisions: Object.fromEntries(
      Array.from(book.decisions, ([key, decision]) => [key, toDecisionRecord(decision)]),
    ),
  };
}

function toSkillRecord(skill: Skill): SkillRecord {
  const record: SkillRecord = {
    id: skill.id,
    section: skill.section,
    content: skill.content,
    justification: skill.justification,
    evidence: skill.evidence,
    helpful: skill.helpful,
    harmful: skill.harmful,
    neutral: skill.neutral,
    created_at: skill.createdAt,
    updated_at: skill.updatedAt,
    status: skill.status,
    sources: skill.sources.map(toSourceRecord),
  };
  if (skill.embedding !== undefined) record.embedding = skill.embedding;
  return record;
}

function toDecisionRecord(decision: SimilarityDecision): SimilarityDecisionRecord {
  return {
    decision: decision.decision,
    reasoning: decision.reasoning,
    decided_at: decision.decidedAt,
    similarity_at_decision: decision.similarityAtDecision,
  };
}
