import { throwIfAborted } from "@acumen/core";

import type { Operation } from "../../skillbook/operation.ts";
import type { Skill } from "../../skillbook/skill.ts";
import type { SkillbookView } from "../../skillbook/view.ts";
import { answerOf, withoutAnswer } from "../../text/answer-line.ts";
import { normaliseText } from "../../text/normalise.ts";
import type { ExtractedLearning, ReflectorOutput } from "../reflector.ts";
import type { SkillManagerInput, SkillManagerOutput, SkillManagerRole } from "../skill-manager.ts";
import type { CaseIndex } from "./case-index.ts";

const SECTION = "cases";

/** Curates: tags voters, adds a lesson per new case, updates a case that turned out to have another answer. */
export class RecallSkillManager implements SkillManagerRole {
  readonly #index: CaseIndex;

  constructor(index: CaseIndex) {
    this.#index = index;
  }

  async update({ reflections, skillbook, signal }: SkillManagerInput): Promise<SkillManagerOutput> {
    throwIfAborted(signal);
    this.#index.sync(skillbook);
    const operations = reflections.flatMap((reflection, index) =>
      this.#operations(reflection, index, skillbook),
    );
    const reasoning =
      operations.length === 0
        ? "Nothing to learn."
        : "Keep the case and credit the cases that voted.";
    return { update: { reasoning, operations } };
  }

  #operations(
    reflection: ReflectorOutput,
    reflectionIndex: number,
    book: SkillbookView,
  ): Operation[] {
    const tags = reflection.skillTags
      .filter(({ id }) => book.get(id)?.status === "active")
      .map(({ id, tag }): Operation => ({ type: "TAG", skillId: id, tag, reflectionIndex }));
    const tagged = new Set(reflection.skillTags.map(({ id }) => id));
    const lessons = reflection.extractedLearnings.flatMap((learning, learningIndex) => {
      const [known] = this.#index.withText(withoutAnswer(learning.learning));
      const operation = lessonOperation(learning, known, tagged);
      return operation === undefined ? [] : [{ ...operation, reflectionIndex, learningIndex }];
    });
    return [...tags, ...lessons];
  }
}

function lessonOperation(
  { learning, evidence, justification }: ExtractedLearning,
  known: Skill | undefined,
  tagged: ReadonlySet<string>,
): Operation | undefined {
  if (known === undefined)
    return { type: "ADD", section: SECTION, content: learning, evidence, justification };
  const said = normaliseText(answerOf(known.content) ?? "");
  if (said !== normaliseText(answerOf(learning) ?? "")) {
    return { type: "UPDATE", skillId: known.id, content: learning, evidence, justification };
  }
  return tagged.has(known.id) ? undefined : { type: "TAG", skillId: known.id, tag: "helpful" };
}
