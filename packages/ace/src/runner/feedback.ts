import type { Interaction } from "./interactions.ts";
import type { Provenance } from "./learning-fields.ts";
import { identify } from "./provenance/identity.ts";
import { renderTrace } from "./trace-render.ts";
import type { Trace } from "./traces.ts";

/** A person's judgement of an answer. */
export interface Feedback {
  readonly question: string;
  readonly answer: string;
  readonly feedback: string;
  readonly context?: string;
  readonly groundTruth?: string | null;
  /** The interaction that is judged; default: the one whose question (and answer, if several) matches. */
  readonly interactionId?: string;
  readonly signal?: AbortSignal;
}

const NOTES_CHARS = 4_000;

/**
 * What is learned from: the interaction's own question, context, reasoning and citations if it is known, else the given
 * fields, with the context as context and no reasoning at all. The judged answer is always the one that was given.
 */
export function feedbackTrace(feedback: Feedback, interaction: Interaction | undefined): Trace {
  const { question, answer, context = "", groundTruth } = feedback;
  const judgement = {
    answer,
    feedback: feedback.feedback,
    ...(groundTruth?.trim() && { groundTruth }),
  };
  if (!interaction) return { question, context, ...judgement, skillIds: [] };
  // What the caller knows beyond the interaction still reaches the reflector.
  const isNews = context.trim() !== "" && context.trim() !== interaction.context.trim();
  const asContext = isNews && interaction.context.trim() === "";
  return {
    question: interaction.question,
    context: asContext ? context : interaction.context,
    reasoning: interaction.reasoning,
    skillIds: interaction.skillIds,
    ...judgement,
    ...(isNews &&
      !asContext && {
        notes: renderTrace([["context given with the feedback", context]], NOTES_CHARS),
      }),
  };
}

export function feedbackProvenance(trace: Trace, interaction: Interaction | undefined): Provenance {
  const identity = interaction
    ? { sourceSystem: "feedback", traceId: interaction.id }
    : identify({ records: [], content: trace, defaultSystem: "feedback" });
  return { identity, origin: "feedback" };
}
