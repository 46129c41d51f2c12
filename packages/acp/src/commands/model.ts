import { throwIfAborted, untilAborted } from "@acumen/core";
import type { ModelChoice } from "../server-options.ts";
import { bullets, paragraphs } from "./answer-text.ts";
import type { CommandRoom, HostCommand } from "./host-command.ts";

const LISTED = 60;
/** Recalls lessons; it does not converse. */
const RECALL = "builtin/recall";

export const modelCommand: HostCommand = {
  name: "model",
  description: "List the models, or choose the one that answers from now on",
  hint: "[ID]",
  run: async (room, words) => {
    const { hosted, session, signal, say } = room;
    const models = await untilAborted(hosted.models(), signal);
    if (words === "") return listed(models, room);
    const refusal = models.some(({ id }) => id === words) ? "" : await refusalOf(words);
    if (refusal !== "") return refusal;
    throwIfAborted(signal);
    await session.setModel(words);
    return `Model ${say.code(session.model)}.`;
  },
};

function listed(models: readonly ModelChoice[], { session, say }: CommandRoom): string {
  const { model } = session;
  const all = models.some(({ id }) => id === model) ? models : [{ id: model, name: "" }, ...models];
  // The current one is seen in a list of any length.
  const shown = all.filter(({ id }, index) => index < LISTED || id === model);
  const more = all.length - shown.length;
  return paragraphs(
    bullets([
      ...shown.map(({ id, name }) => {
        const title = name === "" || name === id ? "" : `: ${say.prose(name)}`;
        return `${say.code(id)}${title}${id === model ? " (current)" : ""}`;
      }),
      ...(more > 0 ? [`and ${more} more`] : []),
    ]),
    "`/model ID` chooses another one.",
  );
}

/** Ids that replay a file come from whoever starts the process, never over a wire. @throws MODEL_FAILED for what is no id */
async function refusalOf(id: string): Promise<string> {
  if (id === RECALL) return `\`${RECALL}\` recalls lessons and is no language model.`;
  const { MODEL_PREFIXES, parseModelId } = await import("@acumen/models");
  const { provider } = parseModelId(id);
  return MODEL_PREFIXES.includes(provider)
    ? ""
    : `Models of the prefix \`${provider}\` replay a file; only who starts the agent chooses one.`;
}
