import type { ModelMessages } from "@acumen/models";
import { promptText } from "../../prompts.ts";
import { renderSkills } from "../../skillbook/prompt-block.ts";
import type { Skill } from "../../skillbook/skill.ts";
import { type SkillbookStats, statsRecord } from "../../skillbook/stats.ts";
import { cutMiddle } from "../../text/cut-middle.ts";
import type { ReflectorOutput } from "../reflector.ts";
import type { SkillManagerInput } from "../skill-manager.ts";
import { renderAll } from "./given.ts";
import { promptMessages } from "./prompt-messages.ts";
import { evaluationText } from "./reflector-prompt.ts";

/** Characters of each text; together with the skills at most about 25,000 tokens. */
const MAX_CHARS = {
  short: 500,
  stats: 4_000,
  reflections: 40_000,
  text: 4_000,
} as const;
/** Of the texts and lists of a reflection, so that the JSON of one stays whole (quotes that JSON doubles aside). */
const MAX_REASONING = 2_000;
/** What a skill may hold. */
const MAX_LEARNING = 2_000;
const MAX_NOTE = 500;
const MAX_LEARNINGS = 10;
const MAX_TAGS = 30;
const MAX_SECTIONS = 30;

/** @param skills those that the model is shown */
export function skillManagerPrompt(
  input: Omit<SkillManagerInput, "signal">,
  skills: readonly Skill[],
): ModelMessages {
  const { progress, reflections, skillbook, question, context, answer } = input;
  const { groundTruth, evaluation, feedback } = input;
  const text = (name: string, origin: string, value: string | undefined) => ({
    name,
    origin,
    text: value,
    maxChars: MAX_CHARS.text,
  });
  const blocks = renderAll([
    { name: "progress", origin: "system", text: progress, maxChars: MAX_CHARS.short },
    {
      name: "stats",
      origin: "system",
      text: statsText(skillbook.stats()),
      maxChars: MAX_CHARS.stats,
    },
    text("question", "task", question),
    text("context", "task", context),
    text("answer", "agent", answer),
    text("ground_truth", "task", groundTruth),
    text("evaluation", "environment", evaluation && evaluationText(evaluation, feedback)),
    text("feedback", "reviewer", feedback),
    {
      name: "reflections",
      origin: "reflector",
      text: JSON.stringify(reflections.map(reflectionRecord), undefined, 1),
      maxChars: MAX_CHARS.reflections,
    },
  ]);
  const closing = "Decide which operations these reflections justify.";
  return promptMessages(promptText("skill-manager"), [
    { text: [renderSkills(skills), ...blocks, closing].join("\n\n") },
  ]);
}

/** The counts, and the largest sections: a book may have as many sections as skills. */
function statsText(stats: SkillbookStats): string {
  const { by_section: bySection, revision: _unused, ...counts } = statsRecord(stats);
  const largest = Object.entries(bySection)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_SECTIONS);
  const name = largest.length < counts.sections ? "largest_sections" : "by_section";
  return JSON.stringify({ ...counts, [name]: Object.fromEntries(largest) });
}

function reflectionRecord(reflection: ReflectorOutput): Record<string, unknown> {
  const whole = (text: string): string => cutMiddle(text, MAX_REASONING);
  const note = (text: string): string => cutMiddle(text, MAX_NOTE);
  return {
    reasoning: whole(reflection.reasoning),
    error_identification: note(reflection.errorIdentification),
    root_cause_analysis: note(reflection.rootCauseAnalysis),
    correct_approach: whole(reflection.correctApproach),
    key_insight: note(reflection.keyInsight),
    extracted_learnings: reflection.extractedLearnings
      .slice(0, MAX_LEARNINGS)
      .map(({ learning, atomicityScore, evidence, justification }) => ({
        learning: cutMiddle(learning, MAX_LEARNING),
        atomicity_score: atomicityScore,
        evidence: note(evidence),
        justification: note(justification),
      })),
    skill_tags: reflection.skillTags.slice(0, MAX_TAGS),
  };
}
