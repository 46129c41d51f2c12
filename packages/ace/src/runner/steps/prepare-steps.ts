import { isJsonObject } from "@acumen/core";
import { aceError } from "../../errors.ts";
import type { TaskEnvironment } from "../../evaluation/evaluation.ts";
import type { AgentRole } from "../../roles/agent.ts";
import { citedSkillIds } from "../../roles/citations.ts";
import type { ReflectorInput, ReflectorOutput, ReflectorRole } from "../../roles/reflector.ts";
import type { SkillOrigin } from "../../skillbook/source.ts";
import type { SkillbookView } from "../../skillbook/view.ts";
import { askAgent } from "../ask-agent.ts";
import { judgeTrace, type JudgeOptions } from "../judge.ts";
import { learningStep, type LearningStep } from "../learning-fields.ts";
import { identify } from "../provenance/identity.ts";
import { parseTrace, type Trace } from "../traces.ts";

/** Answers the sample's question with the book as it stands. */
export function agentStep(agent: AgentRole): LearningStep<"sample" | "skillbook", "agentOutput"> {
  return learningStep({
    name: "agent",
    stage: "prepare",
    requires: ["sample", "skillbook"],
    provides: ["agentOutput"],
    run: async ({ sample, skillbook }, signal) => ({
      agentOutput: await askAgent(agent, {
        question: sample.question,
        context: sample.context ?? "",
        skillbook,
        ...(signal && { signal }),
      }),
    }),
  });
}

/** Judges the answer and makes the whole attempt a trace. */
export function evaluateStep(
  environment: TaskEnvironment,
  knownAnswers: ReadonlySet<string>,
): LearningStep<"sample" | "agentOutput", "trace"> {
  return learningStep({
    name: "evaluate",
    stage: "prepare",
    requires: ["sample", "agentOutput"],
    provides: ["trace"],
    run: async ({ sample, agentOutput }, signal) => {
      const evaluation = await environment.evaluate(sample, agentOutput, {
        knownAnswers,
        ...(signal && { signal }),
      });
      const trace: Trace = {
        question: sample.question,
        context: sample.context ?? "",
        reasoning: agentOutput.reasoning,
        answer: agentOutput.finalAnswer,
        skillIds: agentOutput.skillIds,
        evaluation,
        ...(typeof sample.groundTruth === "string" && { groundTruth: sample.groundTruth }),
      };
      return { trace };
    },
  });
}

/** Reads a trace that was given as any value, and finds out whose it is. */
export function loadTraceStep(
  origin: SkillOrigin,
): LearningStep<"rawTrace", "trace" | "provenance"> {
  return learningStep({
    name: "load_trace",
    stage: "prepare",
    requires: ["rawTrace"],
    provides: ["trace", "provenance"],
    run: ({ rawTrace: { value } }) => {
      const metadata = isJsonObject(value) ? value["metadata"] : undefined;
      return {
        trace: parseTrace(value),
        provenance: {
          identity: identify({
            records: [metadata, value],
            content: value,
            defaultSystem: origin,
          }),
          origin,
        },
      };
    },
  });
}

/** Judges a trace; see {@link judgeTrace}. */
export function judgeStep(options: Omit<JudgeOptions, "signal">): LearningStep<"trace", "trace"> {
  return learningStep({
    name: "evaluate",
    stage: "prepare",
    requires: ["trace"],
    provides: ["trace"],
    run: async ({ trace }, signal) => ({ trace: await judgeTrace(trace, { ...options, signal }) }),
  });
}

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

function citedIds(trace: Trace, skillbook: SkillbookView): readonly string[] {
  if (trace.skillIds) return trace.skillIds;
  if (!trace.reasoning) return [];
  const shown = new Set(skillbook.skills().map((skill) => skill.id));
  return citedSkillIds(trace.reasoning, shown);
}

function checkReflection(output: unknown): ReflectorOutput {
  if (!isJsonObject(output)) {
    throw aceError(
      "ACE_ROLE_FAILED",
      "The reflector role returned no reflection. It must resolve to a reflection, or undefined when there is nothing to learn.",
      { details: { step: "reflect" } },
    );
  }
  const listOf = (key: string) => (Array.isArray(output[key]) ? output[key] : []);
  // Roles written in JavaScript may leave lists out; the steps after this one iterate them.
  return {
    ...(output as unknown as ReflectorOutput),
    extractedLearnings: listOf("extractedLearnings"),
    skillTags: listOf("skillTags"),
  };
}
