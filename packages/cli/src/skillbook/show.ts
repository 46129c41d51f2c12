import type { Skill } from "@acumen/ace";
import type { Terminal } from "../terminal/terminal.ts";
import { bestFirst, type BookFile, headLines, loadRecord } from "./book-file.ts";
import { printable } from "../terminal/printable.ts";
import { wrap } from "../terminal/wrap.ts";
import { skillLines } from "./skill-lines.ts";

export interface ShowOptions {
  /** Most skills of each file. */
  readonly limit: number;
  /** Only skills of this section. */
  readonly section?: string;
  /** Removed skills too. */
  readonly all?: boolean;
}

export function showLines(terminal: Terminal, file: BookFile, options: ShowOptions): string[] {
  const chosen = chosenSkills(file, options);
  const shown = chosen.slice(0, options.limit);
  const rest = chosen.length - shown.length;
  const [title = "", ...notes] = headLines(file);
  return [
    terminal.colours.bold(title),
    ...notes.map(terminal.colours.yellow),
    ...shown.flatMap((skill) => ["", ...skillLines(terminal, skill)]),
    ...(chosen.length === 0 ? ["", ...nothingLines(terminal, file, options)] : []),
    ...(rest > 0 ? ["", `${rest} more: --limit ${chosen.length} shows all.`] : []),
  ];
}

/** A section without a skill is most often misspelt: those that exist are named. */
function nothingLines({ width }: Terminal, { book }: BookFile, { section }: ShowOptions): string[] {
  const sections = Object.keys(book.stats().bySection);
  if (section === undefined || sections.length === 0) return ["No skill to show."];
  const text = `No skill in section "${section}". Sections: ${sections.join(", ")}.`;
  return wrap(printable(text), width);
}

/** `skills` are the records of the file format, best first. */
export function showRecord(
  file: BookFile,
  options: ShowOptions,
): Readonly<Record<string, unknown>> {
  const chosen = chosenSkills(file, options);
  const records = file.book.toRecord().skills;
  return {
    file: file.path,
    load: loadRecord(file.report),
    total: chosen.length,
    skills: chosen.slice(0, options.limit).map((skill) => records[skill.id]),
  };
}

function chosenSkills({ book }: BookFile, { section, all }: ShowOptions): Skill[] {
  const skills = book.skills({ includeInvalid: all === true });
  return bestFirst(
    section === undefined ? skills : skills.filter((skill) => skill.section === section),
  );
}
