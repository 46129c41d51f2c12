import type { EventPayload } from "../events/session-event.ts";
import { attributeText } from "./data-text.ts";

const AUTOMATIC = "[Automatic message of the runtime, not of the user]";

const CONTINUATIONS: Readonly<Record<EventPayload<"AUTO_CONTINUE">["reason"], string>> = {
  output_limit:
    "Your last message was cut off at the output limit. Continue exactly where it stops and repeat nothing. A tool call that was cut off has to be made again, in smaller pieces.",
  open_plan:
    "An entry of your plan is still in progress. Go on with it. If it is done, or if you cannot go on, update the plan and say so.",
  after_compact:
    "The earlier part of this conversation was replaced by a summary. Go on with the work from where it stands.",
};

/** What the model is asked when the runtime itself goes on. */
export function continuationRequest(reason: EventPayload<"AUTO_CONTINUE">["reason"]): string {
  return `${AUTOMATIC} ${CONTINUATIONS[reason]}`;
}

const MAX_PATHS = 50;

/** Told with the next prompt: files are not what the model left. */
export function restoredNote(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_PATHS).map((path) => `- ${attributeText(path)}`);
  const more = paths.length - shown.length;
  return [
    `${AUTOMATIC} The user took back file changes of yours. These files are again what they were before; read them anew before you rely on them:`,
    ...shown,
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join("\n");
}

/** Stands where a record of the log is missing, so that roles alternate. */
export const GAP_NOTE = `${AUTOMATIC} Continue.`;
/** Stands first when the log does not begin with a prompt. */
export const NO_BEGINNING_NOTE = `${AUTOMATIC} The beginning of this conversation is not available.`;
