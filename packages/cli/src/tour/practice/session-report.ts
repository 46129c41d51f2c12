import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type EventPayload,
  type SessionEvent,
  textOf,
} from "@acumen/agent";
import { diffLines } from "../../events/diff-lines.ts";
import { type EventRenderers, type Look, rendered, seconds } from "../../events/event-lines.ts";
import { printable, safeText } from "../../terminal/printable.ts";
import { wrap } from "../../terminal/wrap.ts";

const SEQ_WIDTH = 5;
const TYPE_WIDTH = 20;
const INDENT = " ".repeat(SEQ_WIDTH + 2);
const OUTPUT_LINES = 8;
/** Of a report in TAP form, what a person looks for. */
const TELLING = /^\s*(?:(?:not )?ok |expected: |actual: |# (?:pass|fail) )/;

/** What is said of an event: a text, and lines below it that stand as they are. Other types have no place in the tour. */
const BODIES: EventRenderers = {
  SESSION_CREATED: ({ mode }) => [`mode ${mode}`],
  USER_MESSAGE: ({ content }) => [textOf(content)],
  SKILLS_APPLIED: ({ skill_ids: ids, reason }) => [[...ids, reason].join(": ")],
  ASSISTANT_MESSAGE: ({ text }) => [text],
  TOOL_CALL: (call, { colours }) => [
    callText(call),
    ...call.diff.flatMap((diff) => diffLines({ ...diff, path: lastName(diff.path) }, colours)),
  ],
  APPROVAL_REQUESTED: ({ options }) => [options.join(", ")],
  APPROVAL_DECIDED: ({ decision, by }) => [`${decision}, by ${by}`],
  TOOL_RESULT: (result) => [resultText(result), ...outputLines(result)],
  MCP_STATUS: ({ server, state, reason }) => [
    `${server}: ${state}${reason === null ? "" : ` (${reason})`}`,
  ],
  ERROR: ({ code, message }) => [`${code}: ${message}`],
  BLOCKED: ({ reason, detail }) => [`${reason}: ${detail}`],
  AUTO_STOP: ({ reason, limit }) => [`${reason} (${limit})`],
};

/** One event of the stream with its number and type; titles and token counts say nothing here. */
export function eventLines(look: Look, event: SessionEvent): string[] {
  const { colours, width } = look;
  const [text, ...below] = rendered(BODIES, event, look) ?? [];
  if (text === undefined) return [];
  const head = `${String(event.seq).padStart(SEQ_WIDTH)}  ${event.type.padEnd(TYPE_WIDTH)}`;
  const [first = "", ...rest] = wrap(printable(text), width, " ".repeat(head.length));
  return [
    colours.dim(head) + first.slice(head.length),
    ...rest,
    ...below.map((line) => `${INDENT}  ${line}`),
  ];
}

/** That it was the tour which answered, and to what. */
export function answerLines(
  { colours, width }: Look,
  { tool, alwaysCovers, reason }: ApprovalRequest,
  answer: ApprovalAnswer,
): string[] {
  const covers = answer === "allow_always" ? ` (always covers: ${alwaysCovers})` : "";
  const text = `The tour answers for ${tool} in your place: ${answer}${covers}. Asked because: ${reason}`;
  return wrap(printable(text), width, INDENT).map(colours.yellow);
}

function callText({ exposed_name: name, title, input }: EventPayload<"TOOL_CALL">): string {
  const isCommand = name === "bash" && typeof input === "object" && input !== null;
  return isCommand && "command" in input ? `$ ${String(input.command)}` : `${name}: ${title}`;
}

function resultText({
  status,
  exit_code: exitCode,
  duration_ms: duration,
}: EventPayload<"TOOL_RESULT">): string {
  const code = exitCode === null ? [] : [`exit code ${exitCode}`];
  return [status, ...code, seconds(duration)].join(", ");
}

function outputLines({ output, exit_code: exitCode }: EventPayload<"TOOL_RESULT">): string[] {
  if (exitCode === null) return [];
  return safeText(textOf(output))
    .split("\n")
    .filter((line) => TELLING.test(line))
    .slice(0, OUTPUT_LINES)
    .map((line) => `| ${line.trim()}`);
}

function lastName(path: string): string {
  return path.split("/").at(-1) ?? path;
}
