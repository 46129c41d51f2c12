import { type LoadReport, loadSkillbook, type Skill, type Skillbook } from "@acumen/ace";
import { count } from "../terminal/count.ts";
import { printable } from "../terminal/printable.ts";

/** A skillbook file as a command looks at it. */
export interface BookFile {
  readonly path: string;
  readonly book: Skillbook;
  readonly report: LoadReport;
}

/** @throws what `loadSkillbook` throws: ACE_SKILLBOOK_*, CORE_FILE_*, each naming the file. */
export async function openBook(path: string): Promise<BookFile> {
  const { skillbook, report } = await loadSkillbook(path);
  return { path, book: skillbook, report };
}

/** Best first: helpful - harmful, then the newest, as `ace.skillbook.get` sorts; then by id, so that the order is fixed. */
export function bestFirst(skills: readonly Skill[]): Skill[] {
  return skills.toSorted(
    (a, b) =>
      b.helpful - b.harmful - (a.helpful - a.harmful) ||
      compare(b.createdAt, a.createdAt) ||
      compare(a.id, b.id),
  );
}

/** `book.json: 42 skills in 7 sections, 3 removed` and one line for each record that could not be used as it was. */
export function headLines({ path, book, report }: BookFile): string[] {
  const { skills, sections, invalid } = book.stats();
  const parts = [`${count(skills, "skill")} in ${count(sections, "section")}`];
  if (invalid > 0) parts.push(`${invalid} removed`);
  if (report.migratedFrom) parts.push(`format ${report.migratedFrom} of the Python original`);
  return [
    `${printable(path)}: ${parts.join(", ")}`,
    ...report.skipped.map(({ id, reason }) =>
      printable(`  skipped ${id ?? "a record"}: ${reason}`),
    ),
    ...(report.repaired.length > 0 ? [`  ${count(report.repaired.length, "field")} repaired`] : []),
  ];
}

/** What loading did to a file, for machines. */
export function loadRecord(report: LoadReport): Readonly<Record<string, unknown>> {
  const { loaded, skipped, repaired, migratedFrom } = report;
  return { loaded, skipped, repaired, migrated_from: migratedFrom };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
