import { throwIfAborted, untilAborted } from "@acumen/core";
import type { ModelChoice } from "../server-options.ts";
import { bullets, paragraphs } from "./answer-text.ts";
import type { CommandRoom, HostCommand } from "./host-command.ts";

const LISTED = 60;

export const modelCommand: HostCommand = {
  name: "model",
  description: "List the models, or choose the one that answers from now on",
  hint: "[ID]",
  run: async (room, words) => {
    const { session, signal, say } = room;
    const models = await untilAborted(room.models(), signal);
    if (words === "") return listed(models, room);
    throwIfAborted(signal);
    // The rule of the option: ids can name files and services.
    if (words !== session.model && !models.some(({ id }) => id === words)) {
      return `${say.code(words)} is not on offer here. \`/model\` lists what is; who starts the agent chooses any other one.`;
    }
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
