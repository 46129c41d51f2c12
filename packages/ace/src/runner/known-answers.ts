import { isJsonObject } from "@acumen/core";
import type { Sample } from "../evaluation/evaluation.ts";
import type { Skill } from "../skillbook/skill.ts";
import type { SkillbookView } from "../skillbook/view.ts";
import { answerOf } from "../text/answer-line.ts";

/** Skills never change, so their answers are looked for once. */
const answers = new WeakMap<Skill, string | false>();

/** Every truth of the samples and every answer that the book teaches: what an answer must not name beside the right one. */
export function knownAnswers(
  samples: readonly Pick<Sample, "groundTruth">[],
  skillbook: SkillbookView,
): ReadonlySet<string> {
  const known = new Set<string>();
  for (const { groundTruth } of samples) if (groundTruth?.trim()) known.add(groundTruth);
  for (const skill of skillbook.skills()) {
    const answer = answerOfSkill(skill);
    if (answer) known.add(answer);
  }
  return known;
}

/** {@link knownAnswers}, computed when first asked for: most traces and feedback have no truth to compare with. */
export function lazyKnownAnswers(
  samples: () => readonly Pick<Sample, "groundTruth">[],
  skillbook: SkillbookView,
): () => ReadonlySet<string> {
  let known: ReadonlySet<string> | undefined;
  return () => (known ??= knownAnswers(samples(), skillbook));
}

/** The ground truths of traces that nobody has read yet. */
export function truthsOf(traces: readonly unknown[]): readonly Pick<Sample, "groundTruth">[] {
  return traces.flatMap((trace) => {
    const truth = isJsonObject(trace) ? (trace["ground_truth"] ?? trace["groundTruth"]) : undefined;
    return typeof truth === "string" || typeof truth === "number"
      ? [{ groundTruth: String(truth) }]
      : [];
  });
}

function answerOfSkill(skill: Skill): string | false {
  const found = answers.get(skill);
  if (found !== undefined) return found;
  const answer = answerOf(skill.content) || false;
  answers.set(skill, answer);
  return answer;
}
