import type { AcpEvent } from "@acumen/facade";
import { count } from "../../terminal/count.ts";
import { printable, safeText } from "../../terminal/printable.ts";
import { wrap } from "../../terminal/wrap.ts";
import type { ReportStyle } from "../report.ts";

const INDENT = "  ";
const TYPE_WIDTH = 21;
const PATCH_LINES = 20;

/** What is true in this act and what is played. */
export function plansIntroLines({ width }: ReportStyle): string[] {
  return paragraph(
    width,
    "The tour is an orchestrator now: it starts acumen serve as a process of its own and speaks the Agent Communication " +
      "Protocol with it over HTTP. The work happens in a private clone; the repository changes when the plan is applied. The " +
      "model is played from a script again.",
  );
}

export function leftOutLines({ width, colours }: ReportStyle, reason: string): string[] {
  return paragraph(width, `Left out: ${reason}.`).map(colours.yellow);
}

export function factLines({ width, colours }: ReportStyle, text: string): string[] {
  return paragraph(width, text).map(colours.cyan);
}

/** One event as it came over the wire. */
export function eventLines({ width, colours }: ReportStyle, event: AcpEvent): string[] {
  const { seq, event_type: type } = event;
  const head = `${String(seq).padStart(4)}  ${type.padEnd(TYPE_WIDTH)}`;
  const [first, ...rest] = wrap(textOf(event), width, " ".repeat(head.length));
  if (first === undefined) return [colours.dim(head.trimEnd())];
  return [colours.dim(head) + first.slice(head.length), ...rest];
}

export function patchLines({ width, colours }: ReportStyle, patch: string): string[] {
  const lines = safeText(patch).trimEnd().split("\n").slice(0, PATCH_LINES);
  const indent = INDENT.repeat(3);
  return lines.map((line) => {
    const text = (indent + line.replaceAll("\t", INDENT)).slice(0, width);
    if (/^\+(?!\+\+)/.test(line)) return colours.green(text);
    return /^-(?!--)/.test(line) ? colours.red(text) : colours.dim(text);
  });
}

export function reconnectLines(
  style: ReportStyle,
  events: { readonly cutAfter: number; readonly missed: number },
): string[] {
  const { cutAfter, missed } = events;
  return factLines(
    style,
    `The connection is cut after event ${cutAfter}. ${count(missed, "event")} later a new one asks for what came after it:`,
  );
}

/** Numbers, names and states; never what a tool was given. */
function textOf({ data }: AcpEvent): string {
  const { phase, state, tool, content, reason, files_changed: files } = data;
  if (typeof phase === "string") return typeof state === "string" ? `${phase} ${state}` : phase;
  const parts = [tool, content, reason].filter((part) => typeof part === "string");
  if (typeof files === "number" && files > 0) parts.push(count(files, "file") + " changed");
  return printable(parts.join(": "));
}

function paragraph(width: number, text: string): string[] {
  return wrap(text, width, INDENT);
}
