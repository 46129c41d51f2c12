import { isJsonObject } from "@acumen/core";
import { aceError } from "../../errors.ts";
import { citedSkillIds } from "../../roles/citations.ts";
import type {
  ExtractedLearning,
  ReflectorInput,
  ReflectorOutput,
  ReflectorRole,
} from "../../roles/reflector.ts";
import { SKILL_TAGS } from "../../skillbook/skill.ts";
import type { SkillbookView } from "../../skillbook/view.ts";
import { learningStep, type LearningStep } from "../learning-fields.ts";
import type { Trace } from "../traces.ts";

/** Distils lessons. A reflection that failed or ran out of budget is none: it must never become a skill. */
export function reflectStep(
  reflector: ReflectorRole,
): LearningStep<"trace" | "skillbook", "reflections"> {
  return learningStep({
    name: "reflect",
    stage: "prepare",
    requires: ["trace", "skillbook"],
    provides: ["reflections"],
    run: async ({ trace, skillbook }, signal) => {
      const output: unknown = await reflector.reflect(reflectorInput(trace, skillbook, signal));
      if (output === undefined || output === null) return { reflections: [] };
      return { reflections: [checkReflection(output)] };
    },
  });
}

function reflectorInput(
  trace: Trace,
  skillbook: SkillbookView,
  signal: AbortSignal | undefined,
): ReflectorInput {
  const { question, context, reasoning, answer, groundTruth, evaluation, feedback, notes } = trace;
  return {
    question,
    context,
    ...(reasoning !== undefined && { reasoning }),
    answer: answer ?? "",
    ...(groundTruth !== undefined && { groundTruth }),
    ...(evaluation !== undefined && { evaluation }),
    ...(feedback !== undefined && { feedback }),
    citedSkills: citedIds(trace, skillbook).flatMap((id) => {
      const skill = skillbook.get(id);
      return skill?.status === "active" ? [skill] : [];
    }),
    ...(notes !== undefined && { trace: notes }),
    skillbook,
    ...(signal && { signal }),
  };
}

/** Any text that could hold an id; the check spares a list of all ids per trace. */
const ID_LIKE = /[-‐‑‒]\p{N}/u;

function citedIds(trace: Trace, skillbook: SkillbookView): readonly string[] {
  if (trace.skillIds) return trace.skillIds;
  if (!trace.reasoning || !ID_LIKE.test(trace.reasoning)) return [];
  return citedSkillIds(
    trace.reasoning,
    skillbook.skills().map((skill) => skill.id),
  );
}

/** Roles written in JavaScript may leave fields out or fill lists with anything; one odd field must not cost the sample. */
function checkReflection(output: unknown): ReflectorOutput {
  if (!isJsonObject(output)) {
    throw aceError(
      "ACE_ROLE_FAILED",
      "The reflector role returned no reflection. It must resolve to a reflection, or undefined when there is nothing to learn.",
      { details: { step: "reflect" } },
    );
  }
  const text = (key: string): string => {
    const value = output[key];
    return typeof value === "string" ? value : "";
  };
  const list = (key: string): Record<string, unknown>[] => {
    const value: unknown = output[key];
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
  };
  return {
    reasoning: text("reasoning"),
    errorIdentification: text("errorIdentification"),
    rootCauseAnalysis: text("rootCauseAnalysis"),
    correctApproach: text("correctApproach"),
    keyInsight: text("keyInsight"),
    extractedLearnings: list("extractedLearnings").filter(isLearning),
    skillTags: list("skillTags").filter(isSkillTag),
    ...(isJsonObject(output["raw"]) && { raw: output["raw"] }),
  };
}

type Unchecked = Readonly<Record<string, unknown>>;

function isLearning(value: Unchecked): value is Unchecked & ExtractedLearning {
  return typeof value["learning"] === "string";
}

function isSkillTag(value: Unchecked): value is Unchecked & ReflectorOutput["skillTags"][number] {
  return typeof value["id"] === "string" && SKILL_TAGS.some((tag) => tag === value["tag"]);
}
