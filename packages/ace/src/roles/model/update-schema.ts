import { z } from "zod";
import type { Operation, OperationType } from "../../skillbook/operation.ts";
import { SKILL_TAGS } from "../../skillbook/skill.ts";
import { bareId, optionalList, optionalText } from "./wire-fields.ts";

/** The prompt names the same four. */
const OPERATION_TYPES = [
  "ADD",
  "UPDATE",
  "TAG",
  "REMOVE",
] as const satisfies readonly OperationType[];

/**
 * One shape for all operations: a union of four would say more, but not every provider's constrained mode takes one, and applying
 * validates each operation by itself anyway, so that an odd one costs only itself.
 */
const operation = z.object({
  type: z.enum(OPERATION_TYPES),
  section: optionalText().describe("ADD: group of the skill"),
  skill_id: optionalText().describe("UPDATE, TAG, REMOVE: the skill"),
  content: optionalText().describe("ADD, UPDATE: the whole text of the skill"),
  tag: z.enum(SKILL_TAGS).nullish().describe("TAG"),
  justification: optionalText().describe("ADD, UPDATE"),
  evidence: optionalText().describe("ADD, UPDATE: what in this attempt shows it"),
  reflection_index: z.number().nullish().describe("Number of the reflection, from 0"),
  learning_index: z.number().nullish().describe("Number of its learning, from 0"),
});

/** What the skill manager's model writes. */
export const UPDATE_SCHEMA = z.object({
  reasoning: optionalText(),
  operations: optionalList(operation),
});

type WireOperation = z.output<typeof operation>;
export type ProposedOperation = Operation | Readonly<Record<string, unknown>>;

/** Skills that an operation changes must be among those that the model was shown. */
export function toOperations(
  operations: readonly WireOperation[],
  shownIds: ReadonlySet<string>,
): ProposedOperation[] {
  return operations.flatMap((wire) => {
    const skillId = bareId(wire.skill_id);
    if (wire.type !== "ADD" && !shownIds.has(skillId)) return [];
    return [toOperation(wire, skillId)];
  });
}

function toOperation(wire: WireOperation, skillId: string): ProposedOperation {
  const origin = {
    ...index("reflectionIndex", wire.reflection_index),
    ...index("learningIndex", wire.learning_index),
  };
  switch (wire.type) {
    case "ADD": {
      const { section, content, justification, evidence } = wire;
      return { type: "ADD", section, content, justification, evidence, ...origin };
    }
    case "UPDATE":
      return {
        type: "UPDATE",
        skillId,
        ...filled("content", wire.content),
        ...filled("justification", wire.justification),
        ...filled("evidence", wire.evidence),
        ...origin,
      };
    case "TAG":
      return { type: "TAG", skillId, tag: wire.tag ?? "", ...origin };
    case "REMOVE":
      return { type: "REMOVE", skillId, ...origin };
  }
}

/** A text that is left out changes nothing; an empty one would be an error. */
function filled<Key extends string>(key: Key, text: string): { readonly [K in Key]?: string } {
  return text.trim() === "" ? {} : ({ [key]: text } as { readonly [K in Key]: string });
}

function index<Key extends string>(
  key: Key,
  value: number | null | undefined,
): { readonly [K in Key]?: number } {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return {};
  return { [key]: value } as { readonly [K in Key]: number };
}
