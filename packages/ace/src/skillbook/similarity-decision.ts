/** The judgement that two alike skills both stay. The record on disk has exactly the original's four keys: it refuses any other. */
export interface SimilarityDecision {
  readonly decision: "KEEP";
  readonly reasoning: string;
  /** ISO 8601 with offset. */
  readonly decidedAt: string;
  /** 0..1; 0 when it was not measured. */
  readonly similarityAtDecision: number;
}

export interface SimilarityDecisionRecord {
  decision: string;
  reasoning: string;
  decided_at: string;
  similarity_at_decision: number;
}

/** Key of an unordered pair: the sorted ids joined by a comma, as on disk. */
export function pairKey(idA: string, idB: string): string {
  return idA < idB ? `${idA},${idB}` : `${idB},${idA}`;
}

/** The two ids of a {@link pairKey}; `undefined` when the text is no such key. */
export function pairOf(key: string): readonly [string, string] | undefined {
  const [first, second, ...rest] = key.split(",");
  return first && second && rest.length === 0 && first !== second ? [first, second] : undefined;
}
