import type { InsightSource } from "./source.ts";

export const SKILL_TAGS = ["helpful", "harmful", "neutral"] as const;
export type SkillTag = (typeof SKILL_TAGS)[number];

export type SkillStatus = "active" | "invalid";

/** One strategy. Values are immutable: a change makes a new object, so snapshots and readers stay valid. */
export interface Skill {
  /** `<prefix>-<5+ digits>`. */
  readonly id: string;
  /** The skill's group; the MCP reply calls it `topic`. */
  readonly section: string;
  readonly content: string;
  readonly justification: string | null;
  readonly evidence: string | null;
  readonly helpful: number;
  readonly harmful: number;
  readonly neutral: number;
  /** ISO 8601 with offset. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** `invalid` = softly removed. */
  readonly status: SkillStatus;
  readonly sources: readonly InsightSource[];
  /** Kept from foreign files and otherwise ignored. */
  readonly embedding?: unknown;
}

/** Limits of a book (contract): longer texts are refused with a reason, never cut. */
export const SKILLBOOK_LIMITS = {
  /** Characters of content, of justification and of evidence. */
  textChars: 2_000,
  sourcesPerSkill: 32,
  skills: 20_000,
  /** Bytes of all texts of a book. */
  textBytes: 24 * 1024 * 1024,
  /** Bytes of a file that load accepts. */
  fileBytes: 32 * 1024 * 1024,
} as const;
