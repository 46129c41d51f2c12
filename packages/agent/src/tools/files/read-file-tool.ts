import { closest } from "@acumen/core";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { type ContentBlock, textBlock } from "../../content/content-block.ts";
import { decodeFile, lineEndingOf, storageNotes, toLf } from "../../workspace/file-text.ts";
import { fileRefused } from "../../workspace/file-refused.ts";
import { MAX_WHOLE_BYTES, readWhole } from "../../workspace/read-file.ts";
import type { Place, Workspace } from "../../workspace/workspace.ts";
import { defineTool } from "../define-tool.ts";
import type { Tool, ToolOutcome } from "../tool.ts";
import { failedWhenRefused } from "./file-outcome.ts";
import type { FileToolDeps } from "./file-tool-deps.ts";
import { type LineRange, LineWindow, MAX_BYTES, MAX_LINES } from "./line-window.ts";
import { readHugeRange } from "./read-huge-range.ts";

const schema = z.strictObject({
  path: z.string().describe("File, relative to the working directory or absolute."),
  start_line: z.int().min(1).describe("First line, from 1. Default 1.").exactOptional(),
  end_line: z.int().min(1).describe("Last line, inclusive. Default the last.").exactOptional(),
  numbered: z.boolean().describe("Put its number before each line. Default false.").exactOptional(),
});

const DESCRIPTION =
  `Reads a file. Text comes as it is, with LF line ends, at most ${MAX_LINES} lines or ${MAX_BYTES / 1_024} KB a call; ` +
  "a note behind it says what else there is to know, such as the line to go on with. Images come as images.";

/** As Base64 an image of this size has 5 MB, which is what providers take. */
const MAX_IMAGE_BYTES = 3.75 * 1_024 * 1_024;

interface Shown {
  readonly window: LineWindow;
  /** Undefined: nobody counted them. */
  readonly total: number | undefined;
  readonly notes: readonly string[];
}

export function createReadFileTool(workspace: Workspace, deps: FileToolDeps): Tool {
  const { operations, reads, redact } = deps;

  async function read(place: Place, range: LineRange, signal: AbortSignal): Promise<ToolOutcome> {
    const held = await operations?.readBuffer?.(place.path, signal);
    const onDisk = held === undefined ? await sizeOf(place) : 0;
    if (onDisk > MAX_WHOLE_BYTES) {
      const huge = await readHugeRange(place, range, signal);
      return shownOutcome(place, range, { ...huge, total: undefined }, redact);
    }
    const file = await readWhole(place, { signal, held });
    if (file === undefined) throw fileRefused(await notFound(place));
    reads.record(place.path, file.hash);
    const decoded = decodeFile(file.bytes);
    if (decoded.type === "image") return imageOutcome(place, decoded.mimeType, file.bytes);
    if (decoded.type === "binary") {
      throw fileRefused(
        `${place.shown} is ${decoded.what} of ${file.bytes.byteLength} bytes; read_file shows text and images only.`,
      );
    }
    const ending = lineEndingOf(decoded.text);
    const notes = storageNotes(decoded, ending);
    const window = new LineWindow(range);
    const total = fill(window, toLf(decoded.text));
    return shownOutcome(place, range, { window, total, notes }, redact);
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

/** Bytes; 0 when it is not there or cannot be looked at, which reading then tells. */
async function sizeOf({ path }: Place): Promise<number> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true ? stats.size : 0;
}

/** Returns the number of lines. */
function fill(window: LineWindow, text: string): number {
  let number = 0;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at);
    const stop = end === -1 ? text.length : end;
    number += 1;
    if (window.wants(number)) window.take(number, text.slice(at, stop), stop - at, end !== -1);
    at = stop + 1;
  }
  return number;
}

function shownOutcome(
  { shown }: Place,
  range: LineRange,
  { window, total, notes }: Shown,
  redact: FileToolDeps["redact"],
): ToolOutcome {
  if (window.count === 0 && total !== 0) {
    throw fileRefused(
      total === undefined
        ? `${shown} ends before line ${range.start}.`
        : `${shown} has ${total} ${total === 1 ? "line" : "lines"}; start_line ${range.start} is behind its end.`,
    );
  }
  const facts: string[] = [];
  if (total === 0) facts.push("the file is empty");
  else if (window.next !== undefined || range.start > 1 || window.last !== total) {
    const whole = total === undefined ? "" : ` of ${total}`;
    facts.push(`lines ${range.start}-${window.last}${whole}`);
  }
  if (window.next !== undefined) facts.push(`go on with start_line ${window.next}`);
  facts.push(...notes);
  const output: ContentBlock[] = [textBlock(redact(window.text))];
  if (facts.length > 0) output.push(textBlock(`[${shown}: ${facts.join("; ")}]`));
  return {
    status: "completed",
    output,
    ...((window.next !== undefined || window.cut) && { truncated: true }),
  };
}

function imageOutcome({ shown }: Place, mimeType: string, bytes: Uint8Array): ToolOutcome {
  if (bytes.byteLength > MAX_IMAGE_BYTES) {
    throw fileRefused(
      `${shown} is an image (${mimeType}) of ${bytes.byteLength} bytes; at most ${MAX_IMAGE_BYTES} can be shown. Make a smaller copy.`,
    );
  }
  const data = Buffer.from(bytes).toString("base64");
  return { status: "completed", output: [{ type: "image", mime_type: mimeType, data }] };
}

async function notFound({ path, shown }: Place): Promise<string> {
  const names = await readdir(dirname(path)).catch(() => []);
  const near = closest(basename(path), names);
  const hint = near === undefined ? "" : ` Did you mean ${join(dirname(shown), near)}?`;
  return `There is no file ${shown}.${hint}`;
}
