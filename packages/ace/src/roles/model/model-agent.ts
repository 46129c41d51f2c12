import type { Model } from "@acumen/models";
import type { AgentInput, AgentOutput, AgentRole } from "../agent.ts";
import { citedSkillIds } from "../citations.ts";
import { agentPrompt } from "./agent-prompt.ts";
import { ANSWER_SCHEMA } from "./answer-schema.ts";
import { type ModelRoleOptions, RoleCaller } from "./role-caller.ts";

/** Answers through a language model. Skills count as cited when it was shown them and names them, in its list or in its text. */
export class ModelAgent implements AgentRole {
  readonly #caller: RoleCaller;

  constructor(model: Model, options: ModelRoleOptions = {}) {
    this.#caller = new RoleCaller(model, options);
  }

  /** @throws MODEL_FAILED, CORE_ABORTED */
  async answer(input: AgentInput): Promise<AgentOutput> {
    const { skillbook, question, context, signal } = input;
    const skills = skillbook.choose(question, { context });
    const { value, raw } = await this.#caller.ask({
      messages: agentPrompt(input, skills, this.#caller.clock.now()),
      schema: ANSWER_SCHEMA,
      schemaName: "agent_answer",
      signal,
    });
    const { reasoning, final_answer: finalAnswer, skill_ids: named } = value;
    const text = [reasoning, finalAnswer, ...named].join("\n");
    const shown = skills.map(({ id }) => id);
    return { reasoning, finalAnswer, skillIds: citedSkillIds(text, shown), raw };
  }
}
