import type { Model } from "@acumen/models";
import type { SkillManagerInput, SkillManagerOutput, SkillManagerRole } from "../skill-manager.ts";
import { type ModelRoleOptions, RoleCaller } from "./role-caller.ts";
import { skillManagerPrompt } from "./skill-manager-prompt.ts";
import { skillsToUpdate } from "./skills-to-update.ts";
import { toOperations, UPDATE_SCHEMA } from "./update-schema.ts";

/** Curates through a language model. Operations on skills that it was not shown are dropped. */
export class ModelSkillManager implements SkillManagerRole {
  readonly #caller: RoleCaller;

  constructor(model: Model, options: ModelRoleOptions = {}) {
    this.#caller = new RoleCaller(model, options);
  }

  /** @throws MODEL_FAILED, CORE_ABORTED */
  async update(input: SkillManagerInput): Promise<SkillManagerOutput> {
    const { skillbook, reflections, question, signal } = input;
    const skills = skillsToUpdate(skillbook, reflections, question);
    const { value, raw } = await this.#caller.ask({
      messages: skillManagerPrompt(input, skills),
      schema: UPDATE_SCHEMA,
      schemaName: "skillbook_update",
      signal,
    });
    const operations = toOperations(value.operations, new Set(skills.map(({ id }) => id)));
    return { update: { reasoning: value.reasoning, operations }, raw };
  }
}
