import type { FeedbackResult, Rating } from "@acumen/agent";
import { bullets, count, paragraphs } from "./answer-text.ts";
import type { CommandRoom, HostCommand } from "./host-command.ts";

const CONTENT_CHARS = 600;

export const feedbackCommand: HostCommand = {
  name: "feedback",
  description: "Rate the last turn, so that the agent learns from it",
  hint: "good|bad [TEXT]",
  run: async ({ hosted, session, signal, say }, words) => {
    const { RATINGS } = await import("@acumen/agent");
    const [, word = "", text = ""] = /^(\S+)(?:\s+([\s\S]*))?$/.exec(words) ?? [];
    const rating = RATINGS.find((name) => name === word.toLowerCase());
    if (rating === undefined)
      return "Say `/feedback good` or `/feedback bad`, and why if you like.";
    if (hosted.rate === undefined) return "Turns are not rated here.";
    if (session.busy) return "A turn is running. Rate it when it has ended.";
    const result = await hosted.rate(session, rating, text, signal);
    return paragraphs(
      `Rated the last turn ${rating}.`,
      bullets(effects(result, say)),
      end(result, rating),
    );
  },
};

/** What the rating did, one by one. */
function effects(result: FeedbackResult, say: CommandRoom["say"]): string[] {
  const { counted, uncounted, kept, proposed, learned, dropped, problems } = result;
  return [
    ...counted.map(({ skillId, tag }) => `${say.code(skillId)} counted ${tag}`),
    ...uncounted.map(
      ({ skillId, tag, reason }) =>
        `${say.code(skillId)} is not counted ${tag}: ${REASONS[reason]}`,
    ),
    ...kept.map(
      ({ skillId, tag }) => `${say.code(skillId)} keeps its count ${tag} of the rating before`,
    ),
    ...proposed.map(
      ({ id, content }) => `proposed ${say.code(id)}: ${say.prose(content, CONTENT_CHARS)}`,
    ),
    ...learned.map((id) => `learned ${say.code(id)}`),
    ...dropped.map(
      ({ content, reason }) => `not taken (${reason}): ${say.prose(content, CONTENT_CHARS)}`,
    ),
    ...problems.map(({ code, message }) => `${code}: ${say.prose(message)}`),
  ];
}

const REASONS = {
  counted_before: "a rating of a turn counts once",
  gone: "it is no longer in its skillbook",
  untrusted: "its workspace is not trusted",
} as const;

function end(
  { mode, proposed, learned, counted, problems }: FeedbackResult,
  rating: Rating,
): string {
  if (mode === "off") return "Nothing is learned: the setting `learning.mode` is `off`.";
  if (proposed.length > 0) {
    return `\`acumen skillbook review\` in a terminal accepts or refuses ${count(proposed.length, "proposal")}.`;
  }
  if (problems.length > 0) return "The rating stands; what could not be learned is above.";
  if (learned.length + counted.length > 0) return "";
  return rating === "bad"
    ? "Nothing new was learned from it. Say what would have been right, and rate again."
    : "Nothing new was learned from it.";
}
