import { type FileDiff, visibleLine, visibleText } from "@acumen/agent";
import { structuredPatch } from "diff";
import type { Colours } from "../terminal/terminal.ts";

const CONTEXT_LINES = 3;

/** What an edit changes, line by line, in the form that everybody knows. Nothing is left out. */
export function diffLines(
  { path, old_text: oldText, new_text: newText }: FileDiff,
  colours: Colours,
): string[] {
  const { hunks } = structuredPatch(path, path, oldText ?? "", newText, undefined, undefined, {
    context: CONTEXT_LINES,
  });
  return [
    colours.bold(visibleLine(`${oldText === null ? "new file" : "edit"} ${path}`)),
    ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      colours.cyan(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
      ...lines.map((line) => coloured(shown(line), colours)),
    ]),
  ];
}

/** `+3 -1`; the lines that came and went over all files. */
export function diffCounts(diffs: readonly FileDiff[]): string {
  let added = 0;
  let removed = 0;
  for (const { path, old_text: oldText, new_text: newText } of diffs) {
    const { hunks } = structuredPatch(path, path, oldText ?? "", newText, undefined, undefined, {
      context: 0,
    });
    for (const line of hunks.flatMap(({ lines }) => lines)) {
      if (line.startsWith("+")) added += 1;
      if (line.startsWith("-")) removed += 1;
    }
  }
  return `+${added} -${removed}`;
}

/** A hidden character would make a line look like another one. */
function shown(line: string): string {
  return visibleText(line).replaceAll("\t", "    ");
}

function coloured(line: string, colours: Colours): string {
  if (line.startsWith("+")) return colours.green(line);
  return line.startsWith("-") ? colours.red(line) : line;
}
