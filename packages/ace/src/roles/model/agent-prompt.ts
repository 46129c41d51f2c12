import type { ModelMessages } from "@acumen/models";
import { promptText } from "../../prompts.ts";
import { renderSkills } from "../../skillbook/prompt-block.ts";
import type { Skill } from "../../skillbook/skill.ts";
import type { AgentInput } from "../agent.ts";
import { renderAll, renderGiven } from "./given.ts";
import { promptMessages } from "./prompt-messages.ts";

/**
 * The question is the caller's own, so it is never cut to save tokens: more than a model takes is its provider's error
 * (`context_length`). This only keeps a request within what can be sent at all.
 */
const MAX_TASK_CHARS = 2_000_000;
const MAX_REFLECTION_CHARS = 8_000;

/** @param skills those that the model is shown */
export function agentPrompt(
  { question, context, reflection, skillbook }: Omit<AgentInput, "signal">,
  skills: readonly Skill[],
  now: Date,
): ModelMessages {
  const system = promptText("agent").replace("{{date}}", now.toISOString().slice(0, 10));
  const blocks = [
    renderGiven({
      name: "context",
      origin: "user",
      text: context.trim() === "" ? "(none)" : context,
      maxChars: MAX_TASK_CHARS,
    }),
    ...renderAll([
      { name: "question", origin: "user", text: question, maxChars: MAX_TASK_CHARS },
      { name: "reflection", origin: "reflector", text: reflection, maxChars: MAX_REFLECTION_CHARS },
    ]),
    "Solve the task of the block `question`.",
  ];
  const { skills: active, leftOut } = skillbook.stats();
  return promptMessages(system, [
    // Of a book that does not fit, each question gets other skills: keeping them would cost and never pay.
    { text: renderSkills(skills), stable: skills.length > 0 && skills.length === active - leftOut },
    { text: blocks.join("\n\n") },
  ]);
}
