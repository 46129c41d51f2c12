import { statsRecord } from "@acumen/ace";
import { shortened } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type BookFile, headLines, loadRecord } from "./book-file.ts";

const SECTION_WIDTH = 40;

/** @param limit most sections, the largest first */
export function statsLines(terminal: Terminal, file: BookFile, limit: number): string[] {
  const { bySection, tags, leftOut } = file.book.stats();
  const sections = Object.entries(bySection).toSorted(
    ([a, n], [b, m]) => m - n || (a < b ? -1 : 1),
  );
  const rest = sections.length - limit;
  const [title = "", ...notes] = headLines(file);
  return [
    terminal.colours.bold(title),
    ...notes.map(terminal.colours.yellow),
    `  tags: helpful ${tags.helpful}, harmful ${tags.harmful}, neutral ${tags.neutral}`,
    `  left out of prompts because they did more harm than good: ${leftOut}`,
    ...sections
      .slice(0, limit)
      .map(
        ([name, skills]) => `  ${shortened(name, SECTION_WIDTH).padEnd(SECTION_WIDTH)} ${skills}`,
      ),
    ...(rest > 0 ? [`  ${rest} more sections: --limit ${sections.length} shows all.`] : []),
  ];
}

export function statsOf(file: BookFile): Readonly<Record<string, unknown>> {
  return {
    file: file.path,
    load: loadRecord(file.report),
    stats: statsRecord(file.book.stats()),
  };
}
