import { type EventPayload, type PlanEntry, type SessionEvent, textOf } from "@acumen/agent";
import pc from "picocolors";
import { diffCounts, diffLines } from "../events/diff-lines.ts";
import {
  blockedText,
  type EventRenderers,
  type Look,
  progressLines,
  rendered,
  seconds,
  stopText,
} from "../events/event-lines.ts";
import { modelChangeText } from "../events/model-change-text.ts";
import { printable, safeText, shortened } from "../terminal/printable.ts";
import { wrap } from "../terminal/wrap.ts";

type Call = EventPayload<"TOOL_CALL">;
type Result = EventPayload<"TOOL_RESULT">;

/** What is known about the call of a result. */
export interface CallFacts {
  readonly call: Call | undefined;
  /** Its title stands on the line above. */
  readonly isAbove: boolean;
  /** Its whole change was shown already, when it was asked for. */
  readonly wasShown: boolean;
}

const OUTPUT_HEAD = 7;
const OUTPUT_TAIL = 5;
const DIFF_LINES = 40;
const PLAN_LINES = 20;
const THOUGHT_LINES = 3;
const PLAIN = pc.createColors(false);

const CHAT: EventRenderers = {
  PLAN_UPDATED: ({ entries }, look) => planLines(entries, look),
  AUTO_CONTINUE: ({ reason }, look) => dimmed(CONTINUED[reason], look),
  AUTO_STOP: (payload, look) =>
    warned(`${stopText(payload)} ${STOP_REMEDIES[payload.reason]}`, look),
  BLOCKED: (payload, look) =>
    payload.reason === "no_credentials"
      ? []
      : warned(`${sentence(blockedText(payload))} ${BLOCK_REMEDIES[payload.reason]}`, look),
  ERROR: ({ code, message }, { colours, width }) =>
    wrap(printable(`${code}: ${message}`), width - 2, "  ").map(colours.red),
  APPROVAL_DECIDED: ({ by, detail, decision }, look) =>
    decision.startsWith("allow") && (by === "rule" || by === "remembered")
      ? dimmed(
          `allowed by ${by === "rule" ? `the rule ${detail ?? ""}` : "an earlier answer"}`,
          look,
        )
      : [],
  MODE_CHANGED: ({ previous, mode }, look) => dimmed(`mode: ${previous} -> ${mode}`, look),
  MODEL_CHANGED: (payload, look) => dimmed(modelChangeText(payload), look),
  FILES_RESTORED: ({ paths }, look) =>
    paths.flatMap((path) => dimmed(`restored ${printable(path)}`, look)),
  // Said whenever it happens, and not only in turns.
  MCP_STATUS: () => [],
  // Said when the turn ends, together with how to rate it.
  SKILLS_APPLIED: () => [],
};

/** What a chat shows of an event; messages of the model and results of tools have functions of their own. */
export function chatLines(event: SessionEvent, look: Look): string[] {
  return rendered(CHAT, event, look) ?? progressLines(event, look);
}

/** Tells a thought from an answer where there are no colours. */
export const THOUGHT = "thinking: ";

/** A thought, short. */
export function thoughtLines(text: string, { colours, width }: Look): string[] {
  const lines = wrap(`${THOUGHT}${printable(text)}`, width);
  const cut = lines.length > THOUGHT_LINES;
  return [...lines.slice(0, THOUGHT_LINES), ...(cut ? ["…"] : [])].map(colours.dim);
}

/** How a call ended, and what there is to see of it. */
export function resultLines(result: Result, facts: CallFacts, look: Look): string[] {
  const { dim, red, yellow } = look.colours;
  const { status, diff, exit_code: exitCode } = result;
  const { call, isAbove, wasShown } = facts;
  const name = isAbove || call === undefined ? "" : ` (${shortened(call.title, 40)})`;
  const said = [
    `${status === "completed" ? "ok" : status}${name}`,
    ...(exitCode === null || exitCode === 0 ? [] : [`exit code ${exitCode}`]),
    seconds(result.duration_ms),
    ...(diff.length === 0 ? [] : [diffCounts(diff)]),
    ...(result.truncated ? ["output cut"] : []),
  ].join(", ");
  const colour = status === "completed" ? dim : status === "rejected" ? yellow : red;
  return [
    colour(`  ${said}`),
    ...(wasShown ? [] : diff.flatMap((change) => changeLines(change, look))),
    ...(showsOutput(result, call) ? outputLines(result, look) : []),
  ];
}

/** A change of a file, bounded. */
export function changeLines(
  diff: Result["diff"][number],
  { colours, width }: Look,
  limit = DIFF_LINES,
): string[] {
  const lines = diffLines(diff, PLAIN);
  return [
    ...lines.slice(0, limit).map((line) => {
      const fitted = `  ${cut(line, width - 2)}`;
      if (line.startsWith("+")) return colours.green(fitted);
      if (line.startsWith("-")) return colours.red(fitted);
      return line.startsWith("@@") ? colours.cyan(fitted) : fitted;
    }),
    ...moreLines(lines.length - limit).map(colours.dim),
  ];
}

export function planLines(entries: readonly PlanEntry[], look: Look): string[] {
  const { bold, dim } = look.colours;
  const room = look.width - 2;
  return [
    bold("  Plan"),
    ...entries.slice(0, PLAN_LINES).map(({ status, content }) => {
      const line = `  ${shortened(`${PLAN_MARKS[status]} ${content}`, room)}`;
      return status === "in_progress" ? bold(line) : dim(line);
    }),
    ...moreLines(entries.length - PLAN_LINES).map(dim),
  ];
}

const PLAN_MARKS = { completed: "[x]", in_progress: "[>]", pending: "[ ]" } as const;

const CONTINUED: Readonly<Record<EventPayload<"AUTO_CONTINUE">["reason"], string>> = {
  output_limit: "goes on by itself: the answer was cut at the output limit",
  open_plan: "goes on by itself: the plan is not done",
  after_compact: "goes on by itself after the history was compacted",
};

const STOP_REMEDIES: Readonly<Record<EventPayload<"AUTO_STOP">["reason"], string>> = {
  step_limit: "Say `go on`, or start with a larger --max-steps.",
  token_budget: "Say `go on`, or raise limits.tokenBudget in the settings.",
  repeated_call: "It did the same again and again: say what to do otherwise.",
  continuation_limit: "Say `go on`, or ask for less at once.",
  wall_clock: "Say `go on`, or raise limits.wallClockMs in the settings.",
};

const BLOCK_REMEDIES: Readonly<Record<EventPayload<"BLOCKED">["reason"], string>> = {
  approval_rejected: "Say what to do instead.",
  question: "Answer it with your next prompt.",
  no_credentials: "",
  missing_tool: "Say how to do it without that tool.",
  context_full: "Use /compact, or begin anew with /new.",
};

/** Commands show what they printed, failures why; the content of files that were read is of no use here. */
function showsOutput({ status, diff }: Result, call: Call | undefined): boolean {
  if (status === "cancelled") return false;
  if (status !== "completed") return true;
  return diff.length === 0 && (call?.kind === "execute" || call?.server !== undefined);
}

function outputLines({ status, output }: Result, { colours, width }: Look): string[] {
  const lines = safeText(textOf(output))
    .replaceAll("\t", "    ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (status === "rejected") {
    return lines.flatMap((line) => wrap(line, width, "  | ")).map(colours.dim);
  }
  const left = lines.length - OUTPUT_HEAD - OUTPUT_TAIL;
  const shown = (part: readonly string[]): string[] =>
    part.map((line) => `  | ${cut(line.trimEnd(), width - 4)}`);
  const all =
    left <= 1
      ? shown(lines)
      : [
          ...shown(lines.slice(0, OUTPUT_HEAD)),
          ...moreLines(left),
          ...shown(lines.slice(-OUTPUT_TAIL)),
        ];
  return all.map(colours.dim);
}

function moreLines(number: number): string[] {
  return number > 0 ? [`  … ${number} more lines`] : [];
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

function dimmed(text: string, { colours, width }: Look): string[] {
  return wrap(printable(text), width, "  ").map(colours.dim);
}

function warned(text: string, { colours, width }: Look): string[] {
  return wrap(text.trim(), width, "  ").map(colours.yellow);
}

/** The spacing of the line stays: it is code, or a column of a report. */
function cut(line: string, length: number): string {
  const characters = Array.from(line);
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`;
}
