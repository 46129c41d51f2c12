import { printable } from "./printable.ts";

export interface Column {
  readonly title: string;
  /** Characters; the first column's width is what the others leave. */
  readonly width?: number;
  readonly alignRight?: boolean;
}

const GAP = 2;

/**
 * A table without lines. A first cell that does not fit keeps a line of its own, whole, because it is there to be copied;
 * other cells are cut.
 * @returns lines of at most `width` characters, but for first cells that are longer
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const fixed = columns.slice(1).reduce((sum, column) => sum + (column.width ?? 0) + GAP, 0);
  const first = longest([columns.map(({ title }) => title), ...rows], width - fixed);
  const widths = columns.map((column, index) => (index === 0 ? first : (column.width ?? 0)));
  const line = (cells: readonly string[]): string =>
    columns
      .map((column, index) => fitted(cells[index] ?? "", widths[index] ?? 0, column.alignRight))
      .join(" ".repeat(GAP))
      .trimEnd();
  return [columns.map(({ title }) => title), ...rows].flatMap((cells) => {
    const [head = "", ...rest] = cells.map(printable);
    return head.length > first ? [head, line(["", ...rest])] : [line([head, ...rest])];
  });
}

function longest(rows: readonly (readonly string[])[], limit: number): number {
  const lengths = rows.map(([head = ""]) => printable(head).length);
  return Math.min(limit, Math.max(...lengths));
}

function fitted(text: string, width: number, alignRight = false): string {
  const cut = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return alignRight ? cut.padStart(width) : cut.padEnd(width);
}
