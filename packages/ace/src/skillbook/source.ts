export const SKILL_ORIGINS = ["sample", "feedback", "trace", "file", "session"] as const;
/** Where a lesson came from; it decides how far its text is trusted. */
export type SkillOrigin = (typeof SKILL_ORIGINS)[number];

/** Provenance of a skill: which piece of experience taught it (record layout of the Python original, camelCase here). */
export interface InsightSource {
  /** `<sourceSystem>:<traceId>`. */
  readonly traceUid: string;
  readonly sourceSystem: string;
  readonly traceId: string;
  readonly displayName?: string;
  readonly relation: "seed" | "supporting";
  readonly sampleQuestion?: string;
  /** 1-based pass over the samples. */
  readonly epoch?: number;
  readonly operationType?: string;
  readonly errorIdentification?: string;
  readonly learningText?: string;
  readonly origin?: SkillOrigin;
  /** What a foreign file carried beside the known keys. */
  readonly notes?: Readonly<Record<string, unknown>>;
}
