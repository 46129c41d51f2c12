import { type CodingSession, type SessionEvent, textOf, type TurnResult } from "@acumen/agent";
import { modelText } from "../agent/model-text.ts";
import { ignoredText } from "../agent/open-agent.ts";
import { seconds } from "../events/event-lines.ts";
import type { TurnRecord } from "../run/turn-record.ts";
import { count } from "../terminal/count.ts";
import { printable, safeText, shortened } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import type { ChatSession } from "./chat-session.ts";

const ANSWER_LINES = 12;

/** Where a chat begins: folder, model, mode and session. */
export function headLines(
  { session, ignored, unusedLevel }: Pick<ChatSession, "session" | "ignored" | "unusedLevel">,
  { colours, width }: Pick<Terminal, "colours" | "width">,
): string[] {
  const { workspace, mode, effectiveMode, trusted, id } = session;
  const { dim } = colours;
  const acts =
    mode === effectiveMode ? "" : ` (acts as ${effectiveMode} in a folder that is not trusted)`;
  return [
    ...wrap(`${printable(workspace.cwd)}${trusted ? " (trusted)" : ""}`, width),
    ...wrap(`model ${printable(modelText(session))}, mode ${mode}${acts}`, width).map(dim),
    ...(unusedLevel === undefined ? [] : wrap(`${printable(unusedLevel)}.`, width).map(dim)),
    dim(`session ${id}`),
    ...(ignored === undefined ? [] : wrap(`${ignoredText(ignored)} (/trust).`, width).map(dim)),
    dim("/help lists commands, @path attaches a file, Ctrl-C cancels, Ctrl-D leaves."),
  ];
}

/** Where a session was left: what was asked last, and what was answered; nothing in a new one. */
export function lastExchange(
  events: readonly SessionEvent[],
  { colours, width }: Pick<Terminal, "colours" | "width">,
): string[] {
  const asked = events.findLastIndex(({ type }) => type === "USER_MESSAGE");
  const question = events[asked];
  if (question?.type !== "USER_MESSAGE") return [];
  const answer = events
    .slice(asked)
    .findLast((event) => event.type === "ASSISTANT_MESSAGE" && event.payload.kind === "assistant");
  const text = answer?.type === "ASSISTANT_MESSAGE" ? answer.payload.text : "";
  const lines = safeText(text)
    .trim()
    .split("\n")
    .flatMap((line) => wrap(line, width));
  const cut = lines.length - ANSWER_LINES;
  return [
    "",
    colours.bold(shortened(`you: ${textOf(question.payload.content)}`, width)),
    ...(cut > 0 ? [colours.dim(`… ${count(cut, "earlier line")}`)] : []),
    ...lines.slice(-ANSWER_LINES),
    "",
  ];
}

interface TurnEnd {
  readonly record: TurnRecord;
  readonly session: CodingSession;
  readonly milliseconds: number;
  readonly quiet: boolean;
  readonly terminal: Pick<Terminal, "colours" | "width">;
}

/** What a turn cost, and why it ended when nothing else says so. */
export function turnEndLines(
  { stopReason, blocked, autoStop, turnId }: TurnResult,
  { record, session, milliseconds, quiet, terminal }: TurnEnd,
): string[] {
  const { colours, width } = terminal;
  const lines: string[] = [];
  if (stopReason === "cancelled") lines.push(colours.yellow("  Cancelled. Ctrl-C again leaves."));
  if (stopReason === "refusal") lines.push(colours.yellow("  The model refused to go on."));
  if (stopReason === "max_tokens" && blocked === undefined && autoStop === undefined) {
    lines.push(
      colours.yellow(
        "  Stopped by a limit: the answer was too long. Say `go on`, or ask for less.",
      ),
    );
  }
  if (quiet) return lines;
  const skills = session.events.findLast(
    (event) => event.type === "SKILLS_APPLIED" && event.turn_id === turnId,
  );
  const applied = skills?.type === "SKILLS_APPLIED" ? skills.payload.skill_ids.length : 0;
  return [
    ...lines,
    ...wrap(costText(record, session, milliseconds), width - 2, "  ").map(colours.dim),
    ...(applied === 0
      ? []
      : [
          colours.dim(
            `  ${count(applied, "skill")} applied; /feedback good|bad [TEXT] rates the turn.`,
          ),
        ]),
    "",
  ];
}

function costText({ usage }: TurnRecord, session: CodingSession, milliseconds: number): string {
  const { cost, contextTokens, contextWindow } = session.status();
  const cached = usage.cached_input_tokens === 0 ? "" : ` (${usage.cached_input_tokens} cached)`;
  return [
    `${usage.input_tokens}${cached} + ${usage.output_tokens} tokens`,
    ...(usage.cost === undefined ? [] : [money(usage.cost)]),
    seconds(milliseconds),
    ...(cost === undefined ? [] : [`session ${money(cost)}`]),
    ...(contextWindow === null || contextTokens === 0
      ? []
      : [`context ${Math.round((100 * contextTokens) / contextWindow)} %`]),
  ].join(", ");
}

export function money(dollars: number): string {
  return `$${dollars.toFixed(4)}`;
}
