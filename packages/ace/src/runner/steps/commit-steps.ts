import { isJsonObject } from "@acumen/core";
import { aceError } from "../../errors.ts";
import type { SkillManagerOutput, SkillManagerRole } from "../../roles/skill-manager.ts";
import type { Skillbook } from "../../skillbook/skillbook.ts";
import { learningStep, type LearningStep, type Position } from "../learning-fields.ts";
import { attachSources } from "../provenance/attach-sources.ts";
import { withSkillTags } from "../skill-tags.ts";

const NOTHING: SkillManagerOutput = { update: { reasoning: "", operations: [] } };

/** Turns reflections into operations, the reflectors' tags included. Proposes only; without reflections nobody is asked. */
export function updateStep(
  skillManager: SkillManagerRole,
): LearningStep<"trace" | "reflections" | "skillbook" | "position", "skillManagerOutput"> {
  return learningStep({
    name: "update",
    stage: "commit",
    requires: ["trace", "reflections", "skillbook", "position"],
    provides: ["skillManagerOutput"],
    run: async ({ trace, reflections, skillbook, position }, signal) => {
      if (reflections.length === 0) return { skillManagerOutput: NOTHING };
      const { question, context, answer = "", groundTruth, evaluation, feedback } = trace;
      const output = checkOutput(
        await skillManager.update({
          progress: progressText(position),
          reflections,
          skillbook,
          question,
          context,
          answer,
          ...(groundTruth !== undefined && { groundTruth }),
          ...(evaluation !== undefined && { evaluation }),
          ...(feedback !== undefined && { feedback }),
          ...(signal && { signal }),
        }),
      );
      const operations = withSkillTags(output.update.operations, reflections, skillbook);
      return { skillManagerOutput: { ...output, update: { ...output.update, operations } } };
    },
  });
}

/** Records on each operation what it was learned from. */
export function attachSourcesStep(): LearningStep<
  "trace" | "reflections" | "skillManagerOutput" | "provenance" | "position",
  "skillManagerOutput"
> {
  return learningStep({
    name: "attach_sources",
    stage: "commit",
    requires: ["trace", "reflections", "skillManagerOutput", "provenance", "position"],
    provides: ["skillManagerOutput"],
    run: ({ trace, reflections, skillManagerOutput, provenance, position }) => {
      const { update } = skillManagerOutput;
      const operations = attachSources(update.operations, {
        ...provenance,
        question: trace.question,
        epoch: position.epoch,
        reflections,
      });
      return { skillManagerOutput: { ...skillManagerOutput, update: { ...update, operations } } };
    },
  });
}

/**
 * Applies the operations in one synchronous step, right after the pipeline has looked at the signal: before it nothing of
 * the sample is in the book, after it all is.
 */
export function applyStep(
  skillbook: Skillbook,
): LearningStep<"skillManagerOutput" | "provenance", "applied"> {
  return learningStep({
    name: "apply",
    stage: "commit",
    requires: ["skillManagerOutput", "provenance"],
    provides: ["applied"],
    run: ({ skillManagerOutput, provenance }) => {
      const { operations } = skillManagerOutput.update;
      return { applied: skillbook.apply(operations, { origin: provenance.origin }) };
    },
  });
}

function progressText({ epoch, epochs, number, count }: Position): string {
  return `Epoch ${epoch}/${epochs}, sample ${number}/${count}`;
}

function checkOutput(output: unknown): SkillManagerOutput {
  const update = isJsonObject(output) ? output["update"] : undefined;
  const operations = isJsonObject(update) ? update["operations"] : undefined;
  if (!Array.isArray(operations)) {
    throw aceError(
      "ACE_ROLE_FAILED",
      "The skill manager role returned no operations. It must resolve to {update: {reasoning, operations}}.",
      { details: { step: "update" } },
    );
  }
  return output as SkillManagerOutput;
}
