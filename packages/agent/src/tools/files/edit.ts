import { z } from "zod";
import { nearestLines } from "../../patch/nearest-lines.ts";
import { fileRefused } from "../../workspace/file-refused.ts";
import { toLf } from "../../workspace/file-text.ts";
import { EndedText, type TextSpan } from "../../workspace/line-ends.ts";
import type { Place, Workspace } from "../../workspace/workspace.ts";
import { defineTool } from "../define-tool.ts";
import type { PreparedCall, Tool } from "../tool.ts";
import { changeCall } from "./change-call.ts";
import { bytesOf, hostText, openToChange } from "./editable-file.ts";
import { fileDiff } from "./file-diff.ts";
import { refusedWhenRefused } from "./file-outcome.ts";
import type { FileToolDeps } from "./file-tool-deps.ts";

const replacement = {
  old_string: z.string().describe("Exact text of the file, unique in it unless replace_all."),
  new_string: z.string().describe("What takes its place."),
  replace_all: z.boolean().describe("Replace every occurrence. Default false.").exactOptional(),
};
const schema = z.strictObject({
  path: z.string().describe("File, relative to the working directory or absolute."),
  old_string: replacement.old_string.exactOptional(),
  new_string: replacement.new_string.exactOptional(),
  replace_all: replacement.replace_all,
  edits: z
    .array(z.strictObject(replacement))
    .min(1)
    .describe(
      "Several replacements, each made in what the one before left; instead of the single one.",
    )
    .exactOptional(),
});
type EditInput = z.output<typeof schema>;
type Replacement = NonNullable<EditInput["edits"]>[number];

const DESCRIPTION =
  "Replaces exact text in a file: give either old_string and new_string, or edits. All replacements are made or none. " +
  "Line ends in the strings are LF; those of the file are kept.";

const FORMS =
  "give either {path, old_string, new_string, replace_all?} or {path, edits: [{old_string, new_string, replace_all?}]}";

export function createEditTool(workspace: Workspace, deps: FileToolDeps): Tool {
  return defineTool({
    name: "edit",
    description: DESCRIPTION,
    schema,
    kind: "edit",
    risk: "write",
    prepare: async (input, { signal }) => {
      const title = `Edit ${input.path}`;
      const edits = editsOf(input);
      if (typeof edits === "string") return { ok: false, title, message: edits };
      const place = await workspace.locate(input.path, "write");
      if (!place.ok) return { ...place, title };
      return refusedWhenRefused(title, () => prepareEdit(place, edits, signal));
    },
  });

  async function prepareEdit(
    place: Place,
    edits: readonly Replacement[],
    signal: AbortSignal,
  ): Promise<PreparedCall> {
    const { path, shown } = place;
    const old = await openToChange(place, deps, signal);
    if (old === undefined)
      throw fileRefused(`There is no file ${shown}; write_file makes new files.`);
    let text = EndedText.of(old.file.text);
    let count = 0;
    let firstLine: number | undefined;
    for (const [index, edit] of edits.entries()) {
      const name = edits.length === 1 ? "old_string" : `old_string of edit ${index + 1}`;
      const spans = spansOf(text.lf, edit, name, shown);
      firstLine ??= lineAt(text.lf, spans[0]?.start ?? 0);
      count += spans.length;
      text = text.replace(spans);
    }
    const file = { ...old.file, text: text.raw() };
    return changeCall(workspace, deps, {
      title: `Edit ${shown}`,
      changes: [{ place, base: old.base, next: bytesOf(place, file), text: hostText(file) }],
      diff: [fileDiff(path, old.file.text, file.text)],
      locations: [{ path, ...(firstLine !== undefined && { line: firstLine }) }],
      done: `Edited ${shown}: ${count} ${count === 1 ? "replacement" : "replacements"}.`,
    });
  }
}

/** The replacements, or what is wrong with the input. */
function editsOf(input: EditInput): readonly Replacement[] | string {
  const { old_string, new_string, replace_all, edits } = input;
  const single = old_string !== undefined || new_string !== undefined || replace_all !== undefined;
  if (edits !== undefined) return single ? `The input of edit holds both forms; ${FORMS}.` : edits;
  if (old_string === undefined || new_string === undefined)
    return `The input of edit is not complete; ${FORMS}.`;
  return [{ old_string, new_string, ...(replace_all !== undefined && { replace_all }) }];
}

/** @throws FileRefused: the text is not there, or more than once */
function spansOf(
  text: string,
  { old_string, new_string, replace_all = false }: Replacement,
  name: string,
  shown: string,
): readonly TextSpan[] {
  const wanted = toLf(old_string);
  const given = toLf(new_string);
  if (wanted === "")
    throw fileRefused(`The ${name} is empty; name the text of ${shown} that is to be replaced.`);
  if (wanted === given) throw fileRefused(`The ${name} and its new_string are the same.`);
  const starts = startsOf(text, wanted, replace_all ? wanted.length : 1);
  if (starts.length === 0)
    throw fileRefused(`The ${name} is not in ${shown}. ${nearestLines(text, wanted)}`);
  if (starts.length > 1 && !replace_all) {
    const lines = starts.slice(0, 5).map((start) => lineAt(text, start));
    const more = starts.length > 5 ? " …" : "";
    throw fileRefused(
      `The ${name} is ${starts.length} times in ${shown} (lines ${lines.join(", ")}${more}); add lines around it, or set replace_all.`,
    );
  }
  return starts.map((start) => ({ start, end: start + wanted.length, text: given }));
}

/** @param step how far to go on after a hit; 1 finds those that overlap, too */
function startsOf(text: string, wanted: string, step: number): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step))
    starts.push(at);
  return starts;
}

/** Number of the line, from 1. */
function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1))
    line += 1;
  return line;
}
