import type { ModelMessages } from "@acumen/models";
import type { Evaluation } from "../../evaluation/evaluation.ts";
import { promptText } from "../../prompts.ts";
import { renderSkills } from "../../skillbook/prompt-block.ts";
import type { Skill } from "../../skillbook/skill.ts";
import type { ReflectorInput } from "../reflector.ts";
import { renderAll } from "./given.ts";
import { promptMessages } from "./prompt-messages.ts";

/** Characters of each text; together at most about 25,000 tokens. */
const MAX_CHARS = {
  question: 8_000,
  context: 16_000,
  reasoning: 20_000,
  answer: 8_000,
  groundTruth: 4_000,
  evaluation: 4_000,
  feedback: 8_000,
  trace: 24_000,
} as const;

const NO_CITATION = "No skill was cited: judge by the outcome, and leave `skill_tags` empty.";

/** @param skills the cited ones that the model is shown */
export function reflectorPrompt(
  input: Omit<ReflectorInput, "signal" | "skillbook" | "citedSkills">,
  skills: readonly Skill[],
): ModelMessages {
  const { question, context, reasoning, answer, groundTruth, evaluation, feedback, trace } = input;
  const blocks = renderAll([
    { name: "question", origin: "task", text: question, maxChars: MAX_CHARS.question },
    { name: "context", origin: "task", text: context, maxChars: MAX_CHARS.context },
    { name: "reasoning", origin: "agent", text: reasoning, maxChars: MAX_CHARS.reasoning },
    { name: "answer", origin: "agent", text: answer, maxChars: MAX_CHARS.answer },
    { name: "ground_truth", origin: "task", text: groundTruth, maxChars: MAX_CHARS.groundTruth },
    {
      name: "evaluation",
      origin: "environment",
      text: evaluation && evaluationText(evaluation, feedback),
      maxChars: MAX_CHARS.evaluation,
    },
    { name: "feedback", origin: "reviewer", text: feedback, maxChars: MAX_CHARS.feedback },
    { name: "trace", origin: "record", text: trace, maxChars: MAX_CHARS.trace },
  ]);
  const cited = skills.length === 0 ? NO_CITATION : renderSkills(skills);
  const text = [...blocks, cited, "Reflect on this attempt."].join("\n\n");
  return promptMessages(promptText("reflector"), [{ text }]);
}

/** @param feedback shown by itself, so an evaluation that only repeats it does not */
export function evaluationText(
  { correct, score, feedback: finding, metrics }: Evaluation,
  feedback: string | undefined,
): string {
  const outcome = correct === undefined ? "unknown" : correct ? "right" : "wrong";
  const lines = [
    `outcome: ${outcome}`,
    ...(score === undefined ? [] : [`score: ${score}`]),
    ...(finding.trim() === "" || finding === feedback ? [] : [`finding: ${finding}`]),
    ...Object.entries(metrics).map(([name, value]) => `${name}: ${value}`),
  ];
  return lines.join("\n");
}
