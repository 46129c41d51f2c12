import { isJsonObject } from "@acumen/core";
import type { TaskEnvironment } from "../../evaluation/evaluation.ts";
import type { AgentRole } from "../../roles/agent.ts";
import type { SkillOrigin } from "../../skillbook/source.ts";
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
        ...(sample.groundTruth?.trim() && { groundTruth: sample.groundTruth }),
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
