import type { AgentInput } from "../../../src/roles/agent.ts";
import type { ReflectorInput } from "../../../src/roles/reflector.ts";
import type { SkillManagerInput } from "../../../src/roles/skill-manager.ts";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { reflection } from "../../runner/test-roles.ts";

/** Two skills: `tax-00001` (helpful twice) and `rounding-00002`. */
export function sampleBook(): Skillbook {
  const skillbook = new Skillbook();
  skillbook.apply([
    { type: "ADD", section: "tax", content: "Add VAT to the net price before rounding." },
    { type: "ADD", section: "rounding", content: "Round money to two decimals, half up." },
    { type: "TAG", skillId: "tax-00001", tag: "helpful" },
    { type: "TAG", skillId: "tax-00001", tag: "helpful" },
  ]);
  return skillbook;
}

export function agentInput(part: Partial<AgentInput> = {}): AgentInput {
  return {
    question: "What does a chair of 49.95 net cost with VAT?",
    context: "VAT is 19 %.",
    skillbook: sampleBook(),
    ...part,
  };
}

export function reflectorInput(part: Partial<ReflectorInput> = {}): ReflectorInput {
  const skillbook = sampleBook();
  return {
    question: "What does a chair of 49.95 net cost with VAT?",
    context: "VAT is 19 %.",
    reasoning: "1. [tax-00001] 49.95 + 19 = 68.95",
    answer: "68.95",
    groundTruth: "59.44",
    evaluation: {
      correct: false,
      score: 0.25,
      feedback: "68.95 differs from 59.44.",
      metrics: { difference: 9.51 },
    },
    feedback: "VAT is a rate.",
    citedSkills: skillbook.skills().slice(0, 1),
    trace: "steps:\n[1] opened the price list",
    skillbook,
    ...part,
  };
}

export function skillManagerInput(part: Partial<SkillManagerInput> = {}): SkillManagerInput {
  return {
    progress: "Epoch 1/2, sample 3/10",
    reflections: [
      reflection({
        reasoning: "Case 2: 19 was added as an amount.",
        errorIdentification: "Step 1: 49.95 + 19.",
        rootCauseAnalysis: "The rate was taken for an amount.",
        correctApproach: "49.95 x 1.19 = 59.44",
        keyInsight: "VAT is a rate.",
        extractedLearnings: [
          {
            learning: "Multiply the net price by 1 + rate.",
            atomicityScore: 0.9,
            evidence: "59.44",
            justification: "Rates are not amounts.",
          },
        ],
        skillTags: [{ id: "tax-00001", tag: "harmful" }],
      }),
    ],
    skillbook: sampleBook(),
    question: "What does a chair of 49.95 net cost with VAT?",
    context: "VAT is 19 %.",
    answer: "68.95",
    groundTruth: "59.44",
    evaluation: {
      correct: false,
      score: 0.25,
      feedback: "68.95 differs from 59.44.",
      metrics: { difference: 9.51 },
    },
    feedback: "VAT is a rate.",
    ...part,
  };
}
