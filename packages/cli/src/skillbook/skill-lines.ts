import type { Skill } from "@acumen/ace";
import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";

const INDENT = "  ";

/** `id  section  helpful 1, harmful 0, neutral 2`, then content, justification and evidence, wrapped. */
export function skillLines(terminal: Terminal, skill: Skill): string[] {
  const { colours } = terminal;
  return [
    ...headOf(terminal, skill),
    ...textLines(terminal, skill.content),
    ...labelled(terminal, "why", skill.justification).map(colours.dim),
    ...labelled(terminal, "evidence", skill.evidence).map(colours.dim),
  ];
}

/** The content of a skill, indented; its lines stay apart, so that the answer stands alone on the last one. */
export function textLines({ width }: Terminal, text: string): string[] {
  return text.split("\n").flatMap((line) => wrap(printable(line), width, INDENT));
}

function headOf({ colours, width }: Terminal, skill: Skill): string[] {
  const { helpful, harmful, neutral, status } = skill;
  const id = printable(skill.id);
  const removed = status === "invalid" ? "removed, " : "";
  const rest = `${printable(skill.section)}: ${removed}helpful ${helpful}, harmful ${harmful}, neutral ${neutral}`;
  const [first = id, ...more] = wrap(`${id} ${rest}`, width);
  const painted = first.startsWith(id) ? colours.cyan(id) + first.slice(id.length) : first;
  return [painted, ...more];
}

function labelled({ width }: Terminal, label: string, text: string | null): string[] {
  const line = printable(text ?? "");
  return line ? wrap(`${label}: ${line}`, width, INDENT) : [];
}
