import { diffSkillbooks, type Skill, type SkillChange } from "@acumen/ace";
import { count } from "../terminal/count.ts";
import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { bestFirst, type BookFile } from "./book-file.ts";
import { textLines } from "./skill-lines.ts";

const COUNTERS = ["helpful", "harmful", "neutral"] as const;

/** @param limit most skills of each of the three lists, best first */
export function diffLines(
  terminal: Terminal,
  before: BookFile,
  after: BookFile,
  limit: number,
): string[] {
  const { added, removed, changed } = diffSkillbooks(before.book, after.book);
  const { bold, green, red, yellow } = terminal.colours;
  const title = `${printable(before.path)} -> ${printable(after.path)}: ${added.length} added, ${removed.length} removed, ${changed.length} changed`;
  const plain = (sign: string, skill: Skill): string[] => [
    `${sign} ${printable(skill.id)} (${printable(skill.section)})`,
    ...textLines(terminal, skill.content),
  ];
  return [
    bold(title),
    ...listed(bestFirst(added), limit, "added", (skill) => plain("+", skill).map(green)),
    ...listed(bestFirst(removed), limit, "removed", (skill) => plain("-", skill).map(red)),
    ...listed(sorted(changed), limit, "changed", (change) => [
      yellow(
        `~ ${printable(change.after.id)}: ${change.fields.map(fieldChange(change)).join(", ")}`,
      ),
      ...(change.fields.includes("content")
        ? [
            ...textLines(terminal, `- ${change.before.content}`).map(red),
            ...textLines(terminal, `+ ${change.after.content}`).map(green),
          ]
        : []),
    ]),
  ];
}

/** Records of the file format; a change holds the names of its fields and both records. */
export function diffRecord(
  before: BookFile,
  after: BookFile,
  limit: number,
): Readonly<Record<string, unknown>> {
  const { added, removed, changed } = diffSkillbooks(before.book, after.book);
  const old = before.book.toRecord().skills;
  const current = after.book.toRecord().skills;
  return {
    before: before.path,
    after: after.path,
    counts: { added: added.length, removed: removed.length, changed: changed.length },
    added: bestFirst(added)
      .slice(0, limit)
      .map(({ id }) => current[id]),
    removed: bestFirst(removed)
      .slice(0, limit)
      .map(({ id }) => old[id]),
    changed: sorted(changed)
      .slice(0, limit)
      .map(({ after: { id }, fields }) => ({ id, fields, before: old[id], after: current[id] })),
  };
}

function listed<T>(
  items: readonly T[],
  limit: number,
  verb: string,
  lines: (item: T) => string[],
): string[] {
  const rest = items.length - limit;
  return [
    ...items.slice(0, limit).flatMap((item) => ["", ...lines(item)]),
    ...(rest > 0 ? ["", `${count(rest, "more skill")} ${verb}: raise --limit.`] : []),
  ];
}

function fieldChange({
  before,
  after,
}: SkillChange): (field: SkillChange["fields"][number]) => string {
  return (field) => {
    const counter = COUNTERS.find((name) => name === field);
    return counter ? `${counter} ${before[counter]} -> ${after[counter]}` : field;
  };
}

function sorted(changes: readonly SkillChange[]): SkillChange[] {
  const byId = new Map(changes.map((change) => [change.after.id, change]));
  return bestFirst(changes.map(({ after }) => after)).flatMap(({ id }) => byId.get(id) ?? []);
}
