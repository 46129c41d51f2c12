import { type SessionEvent, textOf } from "@acumen/agent";
import { printable, safeText } from "../terminal/printable.ts";
import { wrap } from "../terminal/wrap.ts";
import {
  blockedText,
  type EventRenderers,
  type Look,
  progressLines,
  rendered,
  stopText,
} from "./event-lines.ts";
import { modelChangeText } from "./model-change-text.ts";

const SEQ_WIDTH = 5;

const LOOKING_BACK: EventRenderers = {
  USER_MESSAGE: ({ content }, look) =>
    texts(`you: ${textOf(content)}`, look).map(look.colours.bold),
  ASSISTANT_MESSAGE: ({ kind, text }, look) => {
    if (text.trim() === "") return [];
    return kind === "assistant"
      ? texts(text, look)
      : texts(`${kind}: ${text}`, look).map(look.colours.dim);
  },
  SESSION_CREATED: ({ mode, model, thought_level: level }, look) =>
    dimmed(
      `created, ${mode}, ${model}${level === undefined ? "" : `, thought level ${level}`}`,
      look,
    ),
  SESSION_RESUMED: (_payload, look) => dimmed("opened again", look),
  MODE_CHANGED: ({ previous, mode }, look) => dimmed(`mode: ${previous} -> ${mode}`, look),
  MODEL_CHANGED: (payload, look) => dimmed(modelChangeText(payload), look),
  APPROVAL_DECIDED: ({ decision, by }, look) =>
    dimmed(`${decision.replace("_", " ")}, by ${by}`, look),
  AUTO_STOP: (payload, look) => wrap(stopText(payload), look.width).map(look.colours.yellow),
  BLOCKED: (payload, look) => wrap(blockedText(payload), look.width).map(look.colours.yellow),
  FEEDBACK: ({ rating, text }, look) => wrap(`rated ${rating}: ${printable(text)}`, look.width),
  FILES_RESTORED: ({ paths }, look) =>
    paths.flatMap((path) => wrap(`restored ${printable(path)}`, look.width)),
};

/** An event with its number, for somebody who looks back; nothing for those that say nothing to a person. */
export function transcriptLines(event: SessionEvent, { colours, width }: Look): string[] {
  const indent = " ".repeat(SEQ_WIDTH + 2);
  const look = { colours, width: width - indent.length };
  const lines = rendered(LOOKING_BACK, event, look) ?? progressLines(event, look);
  return lines.map((line, index) =>
    index === 0 ? `${colours.dim(String(event.seq).padStart(SEQ_WIDTH))}  ${line}` : indent + line,
  );
}

function dimmed(text: string, { colours, width }: Look): string[] {
  return wrap(printable(text), width).map(colours.dim);
}

function texts(text: string, { width }: Look): string[] {
  return safeText(text)
    .trim()
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [""] : wrap(line.trimEnd(), width)));
}
