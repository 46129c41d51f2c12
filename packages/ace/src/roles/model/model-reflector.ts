import type { Model } from "@acumen/models";
import type { ReflectorInput, ReflectorOutput, ReflectorRole } from "../reflector.ts";
import { REFLECTION_SCHEMA, toReflection } from "./reflection-schema.ts";
import { reflectorPrompt } from "./reflector-prompt.ts";
import { type ModelRoleOptions, RoleCaller } from "./role-caller.ts";
import { skillsWithin } from "./skills-within.ts";

/** As many as an agent is shown. */
const CITED_TOKENS = 4_000;

/**
 * Reflects through a language model. An answer that was cut off, withheld or is no reflection is an error and teaches nothing; it is
 * not `undefined`, because whoever gave the feedback should hear that it was lost.
 */
export class ModelReflector implements ReflectorRole {
  readonly #caller: RoleCaller;

  constructor(model: Model, options: ModelRoleOptions = {}) {
    this.#caller = new RoleCaller(model, options);
  }

  /** @throws MODEL_FAILED, CORE_ABORTED */
  async reflect(input: ReflectorInput): Promise<ReflectorOutput> {
    const skills = skillsWithin(input.citedSkills, CITED_TOKENS);
    const { value, raw } = await this.#caller.ask({
      messages: reflectorPrompt(input, skills),
      schema: REFLECTION_SCHEMA,
      schemaName: "reflection",
      signal: input.signal,
    });
    return { ...toReflection(value, new Set(skills.map(({ id }) => id))), raw };
  }
}
