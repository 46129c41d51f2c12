import type { ModelSources } from "../settings/model-environment.ts";
import { providerOf } from "../settings/model-name.ts";
import { askChoice } from "./ask-choice.ts";
import type { Prompts } from "../terminal/prompts.ts";
import type { SetupChoice } from "./setup-choice.ts";
import type { ReadyChoice } from "./setup-flags.ts";
import { judgeable, tryChoice, verifyChoice } from "./verify-choice.ts";

/** Asks for everything, and offers to try the model before anything is written. */
export async function guidedChoice(
  prompts: Prompts,
  sources: ModelSources,
  signal: AbortSignal,
): Promise<ReadyChoice> {
  const choice = await askChoice(prompts, sources);
  await verifyChoice(sources, choice, false);
  if (providerOf(choice.model) === undefined) return { choice, pong: undefined };
  const wanted = await prompts.confirm({
    message: `Ask ${choice.model} one tiny question now?`,
    initial: true,
  });
  return wanted ? tried(prompts, sources, choice, signal) : { choice, pong: undefined };
}

async function tried(
  prompts: Prompts,
  sources: ModelSources,
  choice: SetupChoice,
  signal: AbortSignal,
): Promise<ReadyChoice> {
  prompts.say(`Asking ${choice.model} …`);
  try {
    const pong = await tryChoice(sources, choice, signal);
    if (pong !== undefined) prompts.say(`It answered in ${pong.milliseconds} ms.`);
    return { choice, pong };
  } catch (error) {
    const failure = judgeable(error, signal);
    prompts.say(failure.message);
    const anyway = await prompts.confirm({ message: "Write it all the same?", initial: false });
    if (!anyway) throw failure;
    return { choice, pong: undefined };
  }
}
