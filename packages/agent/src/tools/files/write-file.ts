import { z } from "zod";
import { fileRefused } from "../../workspace/file-refused.ts";
import { type FileText, lineEndingOf } from "../../workspace/file-text.ts";
import type { Place, Workspace } from "../../workspace/workspace.ts";
import { completed, defineTool } from "../define-tool.ts";
import type { PreparedCall, Tool } from "../tool.ts";
import { changeCall } from "./change-call.ts";
import { bytesOf, type EditableFile, hostText, openToChange } from "./editable-file.ts";
import { fileDiff } from "./file-diff.ts";
import { refusedWhenRefused } from "./file-outcome.ts";
import type { FileToolDeps } from "./file-tool-deps.ts";

const WRITE_MODES = ["overwrite", "create", "append"] as const;
type WriteMode = (typeof WRITE_MODES)[number];

const schema = z.strictObject({
  path: z.string().describe("File, relative to the working directory or absolute."),
  content: z.string().describe("The whole text, or what is appended."),
  mode: z
    .enum(WRITE_MODES)
    .describe(
      "overwrite (default) replaces the file or makes it; create fails when it is there; append adds to its end or makes it.",
    )
    .exactOptional(),
});

const DESCRIPTION =
  "Writes a text file in one step; missing folders are made. An existing file keeps its permissions, its encoding and " +
  "its style of line ends. To change parts of a file, edit and apply_patch are better.";

const VERBS: Readonly<Record<WriteMode, string>> = {
  overwrite: "Write",
  create: "Create",
  append: "Append to",
};

export function createWriteFileTool(workspace: Workspace, deps: FileToolDeps): Tool {
  return defineTool({
    name: "write_file",
    description: DESCRIPTION,
    schema,
    kind: "edit",
    risk: "write",
    prepare: async ({ path, content, mode = "overwrite" }, { signal }) => {
      const title = `${VERBS[mode]} ${path}`;
      const place = await workspace.locate(path, "write");
      if (!place.ok) return { ...place, title };
      return refusedWhenRefused(title, async () => {
        const old = await openToChange(place, deps, signal);
        if (old !== undefined && mode === "create")
          throw fileRefused(`${place.shown} exists already; mode create makes new files only.`);
        const file = newFile(old, content, mode);
        return prepareWrite(place, old, file, mode);
      });
    },
  });

  function prepareWrite(
    place: Place,
    old: EditableFile | undefined,
    file: FileText,
    mode: WriteMode,
  ): PreparedCall {
    const { path, shown } = place;
    const next = bytesOf(place, file);
    const unread = old !== undefined && deps.reads.hashOf(path) === undefined;
    const base = old?.base;
    const call = changeCall(workspace, deps, {
      title: `${VERBS[mode]} ${shown}`,
      changes: [{ place, base, next, text: hostText(file) }],
      diff: [fileDiff(path, old?.file.text ?? null, file.text)],
      locations: [{ path }],
      done: doneText(shown, old, mode, unread),
    });
    if (old === undefined || !Buffer.from(next).equals(old.base.bytes)) return call;
    const unchanged = completed({ type: "text", text: `${shown} has this content already.` });
    return { ...call, run: () => Promise.resolve(unchanged) };
  }
}

function newFile(old: EditableFile | undefined, content: string, mode: WriteMode): FileText {
  if (old === undefined) {
    const bom = content.startsWith("\uFEFF");
    return { encoding: "utf-8", bom, text: bom ? content.slice(1) : content };
  }
  const { encoding, bom, text } = old.file;
  const given = bom && content.startsWith("\uFEFF") ? content.slice(1) : content;
  const styled =
    lineEndingOf(text) === "crlf" && !given.includes("\r") ? given.replaceAll("\n", "\r\n") : given;
  return { encoding, bom, text: mode === "append" ? text + styled : styled };
}

function doneText(
  shown: string,
  old: EditableFile | undefined,
  mode: WriteMode,
  unread: boolean,
): string {
  if (old === undefined) return `Created ${shown}.`;
  if (mode === "append") return `Appended to ${shown}.`;
  return `Replaced ${shown}.${unread ? " Its old content had not been read in this session." : ""}`;
}
