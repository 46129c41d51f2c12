import {
  type EventPayload,
  type EventType,
  type SessionEvent,
  textOf,
  type TransientUpdate,
} from "@acumen/agent";
import { shortReason } from "../mcp/short-reason.ts";
import { count } from "../terminal/count.ts";
import { printable, shortened } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import { diffCounts } from "./diff-lines.ts";

export type Look = Pick<Terminal, "colours" | "width">;

/** How events of some types are said; those of the others say nothing to a person. */
export type EventRenderers = {
  readonly [Type in EventType]?: (payload: EventPayload<Type>, look: Look) => string[];
};

type Retry = Extract<TransientUpdate, { type: "model_retry" }>;

const FAILED_LINES = 4;

const PROGRESS: EventRenderers = {
  TOOL_CALL: (call, look) => [callLine(call, look)],
  TOOL_RESULT: (result, look) => resultLines(result, look),
  PLAN_UPDATED: (plan, look) => dimmed(`  ${planText(plan)}`, look),
  AUTO_CONTINUE: ({ reason }, look) => dimmed(`  goes on by itself: ${words(reason)}`, look),
  COMPACT: ({ tokens_before: before, tokens_after: after }, look) =>
    dimmed(`  history compacted: ${before} -> ${after} tokens`, look),
  SKILLS_APPLIED: ({ skill_ids: ids }, look) =>
    ids.length === 0
      ? []
      : dimmed(`  ${count(ids.length, "skill")} of the skillbook applied`, look),
  ERROR: ({ code, message }, look) => [look.colours.red(fitted(`  ${code}: ${message}`, look))],
  MCP_STATUS: (change, look) => serverLines(change, look),
};

/** What became of an MCP server, and why. Nothing while it connects, and nothing of one that is defined and not used here. */
export function serverLines(
  { server, state, previous, reason }: EventPayload<"MCP_STATUS">,
  look: Look,
  more = "",
): string[] {
  const isUnused = state === "disabled" && previous === null && reason === null;
  if (state === "connecting" || isUnused) return [];
  const why = reason === null ? "" : `. ${shortReason(reason)}`;
  const isBad = state === "error" || state === "missing";
  const text = printable(`MCP server ${server}: ${state}${more}${why}`);
  return wrap(text, look.width, "  ").map(isBad ? look.colours.yellow : look.colours.dim);
}

/** What somebody who watches a turn reads about an event, before the turn ends. */
export function progressLines(event: SessionEvent, look: Look): string[] {
  return rendered(PROGRESS, event, look) ?? [];
}

/** Undefined for an event that the renderers do not know. */
export function rendered(
  renderers: EventRenderers,
  { type, payload }: SessionEvent,
  look: Look,
): string[] | undefined {
  // Type and payload of an event belong together, which is more than the type checker can follow here.
  const render = renderers[type] as ((payload: unknown, look: Look) => string[]) | undefined;
  return render?.(payload, look);
}

/** `Stopped by a limit: step limit (100).` */
export function stopText({ reason, limit }: EventPayload<"AUTO_STOP">): string {
  return `Stopped by a limit: ${words(reason)} (${limit}).`;
}

export function blockedText({ reason, detail }: EventPayload<"BLOCKED">): string {
  return `Blocked: ${words(reason)}. ${printable(detail)}`.trim();
}

/** `1.2 s` */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** One line: the whole reason is said when nothing is tried any more. */
export function retryLine(retry: Retry, look: Look): string {
  const { attempt, delay_ms: delay, message } = retry;
  const text = `  Trying again in ${seconds(delay)} (attempt ${attempt + 1}): ${message}`;
  return look.colours.dim(fitted(text, look));
}

function planText({ entries }: EventPayload<"PLAN_UPDATED">): string {
  const done = entries.filter(({ status }) => status === "completed").length;
  const current = entries.find(({ status }) => status === "in_progress");
  return `plan ${done}/${entries.length}${current === undefined ? "" : `: ${current.content}`}`;
}

function callLine(call: EventPayload<"TOOL_CALL">, look: Look): string {
  const { title, exposed_name: name, server } = call;
  const text = printable(title);
  const origin = server === undefined ? "" : ` (${server})`;
  const head = text.startsWith(name) ? text : `${name}${origin} ${text}`;
  return look.colours.cyan(fitted(`> ${head}`, look));
}

function resultLines(result: EventPayload<"TOOL_RESULT">, look: Look): string[] {
  const { dim, red, yellow } = look.colours;
  const { status, diff, exit_code: exitCode } = result;
  const facts = [
    seconds(result.duration_ms),
    ...(diff.length === 0 ? [] : [diffCounts(diff)]),
    ...(exitCode === null || exitCode === 0 ? [] : [`exit code ${exitCode}`]),
    ...(result.truncated ? ["output cut"] : []),
  ].join(", ");
  if (status === "completed") return [dim(`  ok, ${facts}`)];
  const colour = status === "rejected" ? yellow : red;
  return [colour(`  ${status}, ${facts}`), ...outputLines(result, look).map(dim)];
}

/** Whole where it says what would allow the call, else the beginning. */
function outputLines({ status, output }: EventPayload<"TOOL_RESULT">, look: Look): string[] {
  const lines = textOf(output)
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (status === "rejected") {
    return lines.flatMap((line) => wrap(printable(line), look.width, "  | "));
  }
  return lines.slice(0, FAILED_LINES).map((line) => fitted(`  | ${line}`, look));
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}

function dimmed(text: string, look: Look): string[] {
  return [look.colours.dim(fitted(text, look))];
}

/** One line of the terminal, its indent kept. */
function fitted(text: string, { width }: Look): string {
  const indent = /^ */.exec(text)?.[0] ?? "";
  return `${indent}${shortened(text, width - indent.length)}`;
}
