import {
  BEGIN_PATCH,
  END_OF_FILE,
  END_PATCH,
  type FilePatch,
  type Hunk,
  MARKS,
  NO_NEWLINE,
  type Patch,
} from "./patch.ts";

/** The text that parses to this patch again. Paths are without spaces at their ends, lines without line ends. */
export function printPatch(patch: Patch): string {
  return [BEGIN_PATCH, ...patch.flatMap(fileLines), END_PATCH, ""].join("\n");
}

function fileLines(file: FilePatch): readonly string[] {
  switch (file.type) {
    case "add":
      return [
        `*** Add File: ${file.path}`,
        ...file.lines.map((line) => MARKS.add + line),
        ...(file.finalNewline ? [] : [NO_NEWLINE]),
      ];
    case "delete":
      return [`*** Delete File: ${file.path}`];
    case "update":
      return [
        `*** Update File: ${file.path}`,
        ...(file.moveTo === undefined ? [] : [`*** Move to: ${file.moveTo}`]),
        ...file.hunks.flatMap(hunkLines),
      ];
  }
}

function hunkLines({ headings, lines, endOfFile, finalNewline }: Hunk): readonly string[] {
  const printed = lines.map(({ kind, text }) => MARKS[kind] + text);
  if (finalNewline === false) printed.push(NO_NEWLINE);
  if (finalNewline === true)
    printed.splice(lines.findLastIndex(({ kind }) => kind === "remove") + 1, 0, NO_NEWLINE);
  return [
    ...(headings.length === 0 ? ["@@"] : headings.map((heading) => `@@ ${heading}`)),
    ...printed,
    ...(endOfFile ? [END_OF_FILE] : []),
  ];
}
