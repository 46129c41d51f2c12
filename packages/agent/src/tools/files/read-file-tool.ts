import { closest } from "@acumen/core";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { type ContentBlock, textBlock } from "../../content/content-block.ts";
import { fileRefused } from "../../workspace/file-refused.ts";
import type { Place, Workspace } from "../../workspace/workspace.ts";
import { defineTool } from "../define-tool.ts";
import type { Tool, ToolOutcome } from "../tool.ts";
import { failedWhenRefused } from "./file-outcome.ts";
import type { FileToolDeps } from "./file-tool-deps.ts";
import { type LineRange, MAX_BYTES, MAX_LINES } from "./line-window.ts";
import { MAX_IMAGE_BYTES, showFile, type ShownImage, type ShownText } from "./show-file.ts";

const schema = z.strictObject({
  path: z.string().describe("File, relative to the working directory or absolute."),
  start_line: z.int().min(1).describe("First line, from 1. Default 1.").exactOptional(),
  end_line: z.int().min(1).describe("Last line, inclusive. Default the last.").exactOptional(),
  numbered: z.boolean().describe("Put its number before each line. Default false.").exactOptional(),
});

const DESCRIPTION =
  `Reads a file. Text comes as it is, with LF line ends, at most ${MAX_LINES} lines or ${MAX_BYTES / 1_024} KB a call; ` +
  "a note behind it says what else there is to know, such as the line to go on with. Images come as images.";

export function createReadFileTool(workspace: Workspace, deps: FileToolDeps): Tool {
  const { operations, redact } = deps;

  async function read(place: Place, range: LineRange, signal: AbortSignal): Promise<ToolOutcome> {
    const shown = await showFile(place, range, deps, signal);
    if (shown === undefined) throw fileRefused(await notFound(place));
    const { file, seen } = shown;
    const known = seen !== undefined && { seen: [seen] };
    if (file.type === "image") return { ...imageOutcome(place, file), ...known };
    if (file.type === "text") return { ...textOutcome(place, range, file, redact), ...known };
    throw fileRefused(
      `${place.shown} is ${file.what} of ${file.bytes} bytes; read_file shows text and images only.`,
    );
  }

  return defineTool({
    name: "read_file",
    description: DESCRIPTION,
    schema,
    kind: "read",
    risk: "read",
    prepare: async (input) => {
      const start = input.start_line ?? 1;
      const end = input.end_line ?? Number.POSITIVE_INFINITY;
      const range: LineRange = { start, end, numbered: input.numbered ?? false };
      const title = `Read ${input.path}`;
      if (end < start)
        return { ok: false, title, message: `end_line ${end} is before start_line ${start}.` };
      const place = await workspace.locate(input.path, "read");
      if (!place.ok) return { ...place, title };
      if (!place.exists && operations?.readBuffer === undefined)
        return { ok: false, title, message: await notFound(place) };
      const location =
        input.start_line === undefined ? { path: place.path } : { path: place.path, line: start };
      return {
        ok: true,
        preview: {
          title: `Read ${place.shown}`,
          risk: "read",
          subject: { type: "files", access: "read", paths: [place.path] },
          locations: [location],
          diff: [],
        },
        run: ({ signal }) => failedWhenRefused(() => read(place, range, signal)),
      };
    },
  });
}

function textOutcome(
  { shown }: Place,
  range: LineRange,
  file: ShownText,
  redact: FileToolDeps["redact"],
): ToolOutcome {
  const { window, total } = file;
  if (window.count === 0 && total !== 0) {
    throw fileRefused(
      total === undefined
        ? `${shown} ends before line ${range.start}.`
        : `${shown} has ${total} ${total === 1 ? "line" : "lines"}; start_line ${range.start} is behind its end.`,
    );
  }
  const facts = factsOf(file, range.start);
  const output: ContentBlock[] = [textBlock(redact(window.text))];
  if (facts.length > 0) output.push(textBlock(`[${shown}: ${facts.join("; ")}]`));
  return {
    status: "completed",
    output,
    ...((window.next !== undefined || window.cut) && { truncated: true }),
  };
}

function factsOf({ window, total, notes }: ShownText, start: number): readonly string[] {
  const facts: string[] = [];
  if (total === 0) facts.push("the file is empty");
  else if (window.next !== undefined || start > 1 || window.last !== total) {
    const whole = total === undefined ? "" : ` of ${total}`;
    facts.push(`lines ${start}-${window.last}${whole}`);
  }
  if (window.next !== undefined) facts.push(`go on with start_line ${window.next}`);
  return [...facts, ...notes];
}

function imageOutcome({ shown }: Place, { mimeType, bytes, data }: ShownImage): ToolOutcome {
  if (data !== undefined)
    return { status: "completed", output: [{ type: "image", mime_type: mimeType, data }] };
  throw fileRefused(
    `${shown} is an image (${mimeType}) of ${bytes} bytes; at most ${MAX_IMAGE_BYTES} can be shown. Make a smaller copy.`,
  );
}

async function notFound({ path, shown }: Place): Promise<string> {
  const names = await readdir(dirname(path)).catch(() => []);
  const near = closest(
    basename(path),
    names.filter((name) => !/\p{C}/u.test(name)),
  );
  const hint = near === undefined ? "" : ` Did you mean ${join(dirname(shown), near)}?`;
  return `There is no file ${shown}.${hint}`;
}
