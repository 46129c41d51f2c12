import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import { diffLines } from "../../events/diff-lines.ts";
import { count } from "../../terminal/count.ts";
import { printable } from "../../terminal/printable.ts";
import { wrap } from "../../terminal/wrap.ts";
import type { ReportStyle } from "../report.ts";
import type { HostResult } from "./host-result.ts";
import { textOfBlock } from "./transcript.ts";

const INDENT = "  ";
const KIND_WIDTH = 27;

type Update<Kind extends SessionUpdate["sessionUpdate"]> = Extract<
  SessionUpdate,
  { readonly sessionUpdate: Kind }
>;

/** What is true in this act and what is played. */
export function hostIntroLines({ width }: ReportStyle): string[] {
  return paragraph(
    width,
    "The tour is the editor now: it starts acumen acp as a process of its own, speaks the Agent Client Protocol with it and sees " +
      "what any editor sees. The model is played from a script again.",
  );
}

/** One update as it came over the wire. */
export function updateLines(style: ReportStyle, update: SessionUpdate): string[] {
  const text = textOf(update);
  if (text === undefined) return [];
  const { width, colours } = style;
  const head = `${INDENT}${update.sessionUpdate.padEnd(KIND_WIDTH)}`;
  const [first = "", ...rest] = wrap(printable(text), width, " ".repeat(head.length));
  const lines = [colours.dim(head) + first.slice(head.length), ...rest];
  return update.sessionUpdate === "tool_call" ? [...lines, ...changeLines(style, update)] : lines;
}

/** That it was the tour which answered. */
export function permissionLines(
  { width, colours }: ReportStyle,
  { toolCall, options }: RequestPermissionRequest,
): string[] {
  const names = options.map(({ optionId }) => optionId).join(", ");
  return paragraph(
    width,
    `The agent asks for ${printable(toolCall.title ?? "a call")} (${names}). The tour answers as the editor, in your place: allow_once.`,
  ).map(colours.yellow);
}

export function outcomeLines({ width, colours }: ReportStyle, text: string): string[] {
  return paragraph(width, text).map(colours.cyan);
}

export function replayLines({ width }: ReportStyle, { replayed, pids }: HostResult): string[] {
  const { prompts, calls, text } = replayed;
  return paragraph(
    width,
    `Process ${pids[1]} replays ${count(prompts.length, "prompt")}, ${count(calls.length, "call")} and ${text.length} characters of ` +
      "answers: what the editor saw live.",
  );
}

/** Updates of other kinds say nothing that a reader of the tour needs. */
function textOf(update: SessionUpdate): string | undefined {
  const { sessionUpdate: kind } = update;
  if (kind === "tool_call") return `${update.status ?? "pending"}: ${update.title}`;
  if (kind === "tool_call_update") return update.status ?? undefined;
  if (kind === "usage_update") return `${update.used} of ${update.size} tokens`;
  if (kind === "session_info_update") return update.title ?? undefined;
  if (kind === "available_commands_update") {
    const [first, ...others] = update.availableCommands;
    return first && `/${first.name} and ${count(others.length, "other command")}`;
  }
  const isText =
    kind === "user_message_chunk" ||
    kind === "agent_message_chunk" ||
    kind === "agent_thought_chunk";
  return isText ? textOfBlock(update.content) : undefined;
}

function changeLines({ colours }: ReportStyle, { content }: Update<"tool_call">): string[] {
  return (content ?? []).flatMap((item) =>
    item.type === "diff"
      ? diffLines(
          {
            path: item.path.split("/").at(-1) ?? item.path,
            old_text: item.oldText ?? null,
            new_text: item.newText,
          },
          colours,
        ).map((line) => `${INDENT.repeat(3)}${line}`)
      : [],
  );
}

function paragraph(width: number, text: string): string[] {
  return wrap(text, width, INDENT);
}
