import type { Skill } from "@acumen/ace";
import type { Terminal } from "../terminal/terminal.ts";
import { bestFirst, type BookFile, headLines, loadRecord } from "./book-file.ts";
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
    ...(chosen.length === 0 ? ["", "No skill to show."] : []),
    ...(rest > 0 ? ["", `${rest} more: --limit ${chosen.length} shows all.`] : []),
  ];
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
