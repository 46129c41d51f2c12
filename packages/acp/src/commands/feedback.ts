import type { LearningMode } from "@acumen/agent";
import { paragraphs } from "./answer-text.ts";
import type { HostCommand } from "./host-command.ts";

export const feedbackCommand: HostCommand = {
  name: "feedback",
  description: "Rate the last turn, so that the agent learns from it",
  hint: "good|bad [TEXT]",
  run: async ({ hosted, session, signal, afterwards }, words) => {
    const { RATINGS } = await import("@acumen/agent");
    const [, word = "", text = ""] = /^(\S+)(?:\s+([\s\S]*))?$/.exec(words) ?? [];
    const rating = RATINGS.find((name) => name === word.toLowerCase());
    if (rating === undefined)
      return "Say `/feedback good` or `/feedback bad`, and why if you like.";
    if (hosted.rate === undefined) return "Turns are not rated here.";
    if (session.busy) return "A turn is running. Rate it when it has ended.";
    const { mode, learn } = await hosted.rate(session, rating, text, signal);
    if (learn !== undefined) afterwards(learn);
    return paragraphs(`Rated the last turn ${rating}.`, NEXT[mode]);
  },
};

/** What comes of the rating. */
const NEXT: Readonly<Record<LearningMode, string>> = {
  off: "Nothing is learned: the setting `learning.mode` is `off`.",
  suggest:
    "What it teaches is worked out in the background; `acumen skillbook review` in a terminal accepts or refuses what is proposed.",
  auto: "What it teaches is worked out in the background and goes into the skillbook.",
};
