import { isJsonObject } from "@acumen/core";
import type { ReflectorOutput } from "../../roles/reflector.ts";
import type { SkillManagerOutput } from "../../roles/skill-manager.ts";
import { cutText } from "../../skillbook/clean-text.ts";
import type { InsightSource, SkillOrigin } from "../../skillbook/source.ts";
import type { TraceIdentity } from "./identity.ts";

type ProposedOperation = SkillManagerOutput["update"]["operations"][number];

/** What the operations of one update were learned from. */
export interface Experience {
  readonly identity: TraceIdentity;
  readonly origin: SkillOrigin;
  readonly question: string;
  readonly epoch: number;
  readonly reflections: readonly ReflectorOutput[];
}

/** Sources are notes for people; 32 of them a skill must stay small beside the skill itself. */
const NOTE_CHARS = 500;

/** Gives every ADD and UPDATE without sources of its own a record of the experience that taught it. */
export function attachSources(
  operations: readonly ProposedOperation[],
  experience: Experience,
): readonly ProposedOperation[] {
  return operations.map((operation) => {
    if (!isJsonObject(operation) || hasSources(operation)) return operation;
    const type =
      typeof operation["type"] === "string" ? operation["type"].trim().toUpperCase() : "";
    if (type !== "ADD" && type !== "UPDATE") return operation;
    return { ...operation, sources: sourcesFor(operation, type, experience) };
  });
}

function hasSources(operation: Record<string, unknown>): boolean {
  const given = operation["sources"] ?? operation["insight_source"] ?? operation["insightSource"];
  return Array.isArray(given) ? given.length > 0 : isJsonObject(given);
}

function sourcesFor(
  operation: Record<string, unknown>,
  type: string,
  experience: Experience,
): InsightSource[] {
  const learningIndex = indexOf(operation["learningIndex"] ?? operation["learning_index"]);
  const indices = reflectionIndices(operation, learningIndex, experience.reflections);
  const reflections = indices.map((index) => experience.reflections[index]);
  return (reflections.length === 0 ? [undefined] : reflections).map((reflection, position) =>
    sourceOf(experience, type, position === 0 ? "seed" : "supporting", reflection, learningIndex),
  );
}

function sourceOf(
  { identity, origin, question, epoch }: Experience,
  operationType: string,
  relation: InsightSource["relation"],
  reflection: ReflectorOutput | undefined,
  learningIndex: number | undefined,
): InsightSource {
  const { sourceSystem, traceId, displayName } = identity;
  const learnings = reflection?.extractedLearnings ?? [];
  const learning = learnings.length === 1 ? learnings[0] : learnings[learningIndex ?? -1];
  const errorIdentification = note(reflection?.errorIdentification);
  const learningText = note(learning?.learning);
  const sampleQuestion = note(question);
  return {
    traceUid: `${sourceSystem}:${traceId}`,
    sourceSystem,
    traceId,
    ...(displayName !== undefined && { displayName }),
    relation,
    ...(sampleQuestion !== undefined && { sampleQuestion }),
    epoch,
    operationType,
    ...(errorIdentification !== undefined && { errorIdentification }),
    ...(learningText !== undefined && { learningText }),
    origin,
  };
}

/**
 * Which reflections led to an operation, the main one first: its valid `reflectionIndex` and `reflection_indices`, else
 * the only reflection, else the only one that has a learning at `learningIndex`.
 */
function reflectionIndices(
  operation: Record<string, unknown>,
  learningIndex: number | undefined,
  reflections: readonly ReflectorOutput[],
): readonly number[] {
  const exists = (index: number | undefined): index is number =>
    index !== undefined && index < reflections.length;
  const main = indexOf(operation["reflectionIndex"] ?? operation["reflection_index"]);
  const several = operation["reflectionIndices"] ?? operation["reflection_indices"];
  const named = [main, ...(Array.isArray(several) ? several.map(indexOf) : [])].filter(exists);
  if (named.length > 0) return [...new Set(named)];
  if (reflections.length === 1) return [0];
  if (learningIndex === undefined) return [];
  const covering = reflections.flatMap(({ extractedLearnings }, index) =>
    learningIndex < extractedLearnings.length ? [index] : [],
  );
  return covering.length === 1 ? covering : [];
}

function indexOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function note(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? undefined : cutText(trimmed, NOTE_CHARS);
}
