import { z } from "zod";
import { SKILL_TAGS } from "../../skillbook/skill.ts";
import type { ReflectorOutput } from "../reflector.ts";
import { bareId, filledText, optionalList, optionalText } from "./wire-fields.ts";

const learning = z.object({
  learning: filledText().describe("What to do, and when"),
  atomicity_score: z.number().nullish().describe("0 to 1: how far it is one single idea"),
  evidence: optionalText().describe("Words or values of this attempt that show it"),
  justification: optionalText().describe("What it saves or prevents"),
});

const skillTag = z.object({ id: z.string(), tag: z.enum(SKILL_TAGS) });

/** What the reflector's model writes. */
export const REFLECTION_SCHEMA = z.object({
  reasoning: filledText().describe("Which case it is, and why"),
  error_identification: optionalText().describe("The exact place of the error"),
  root_cause_analysis: optionalText().describe("Why that step went wrong"),
  correct_approach: filledText().describe("The steps to the right answer"),
  key_insight: filledText().describe("One sentence that holds for other tasks of the kind"),
  extracted_learnings: optionalList(learning),
  skill_tags: optionalList(skillTag),
});

/** @param citedIds only these can be tagged, each once */
export function toReflection(
  wire: z.output<typeof REFLECTION_SCHEMA>,
  citedIds: ReadonlySet<string>,
): ReflectorOutput {
  const tags = new Map(wire.skill_tags.toReversed().map(({ id, tag }) => [bareId(id), tag]));
  return {
    reasoning: wire.reasoning,
    errorIdentification: wire.error_identification,
    rootCauseAnalysis: wire.root_cause_analysis,
    correctApproach: wire.correct_approach,
    keyInsight: wire.key_insight,
    extractedLearnings: wire.extracted_learnings.map(({ atomicity_score: score, ...texts }) => ({
      ...texts,
      atomicityScore: Math.min(1, Math.max(0, score ?? 0)),
    })),
    skillTags: [...citedIds].flatMap((id) => {
      const tag = tags.get(id);
      return tag === undefined ? [] : [{ id, tag }];
    }),
  };
}
