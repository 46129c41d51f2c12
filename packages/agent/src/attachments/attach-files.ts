import { throwIfAborted } from "@acumen/core";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock } from "../content/content-block.ts";
import { agentError } from "../errors.ts";
import type { SeenFile } from "../events/event-payloads.ts";
import type { FileToolDeps } from "../tools/files/file-tool-deps.ts";
import { type Shown, showFile, type ShownFile } from "../tools/files/show-file.ts";
import { isFileRefused } from "../workspace/file-refused.ts";
import type { Place, Workspace } from "../workspace/workspace.ts";
import { type Mention, mentionsIn } from "./mentions.ts";

/** How many files one prompt attaches. */
const MAX_ATTACHMENTS = 20;

export type AttachDeps = Pick<FileToolDeps, "operations" | "reads" | "redact"> & {
  /** Names the rule by which a file (absolute real path) may not be shown to the model; absent: there is none. */
  readonly deniedRead?: (path: string) => string | undefined;
  readonly signal: AbortSignal;
};

export interface AttachedPrompt {
  readonly content: readonly ContentBlock[];
  /** Each attached file as it was. */
  readonly seen: readonly SeenFile[];
}

/**
 * Adds to a prompt the files that its texts name as `@path` or `@"path with spaces"`, behind the text that names them.
 * The texts stay as they are. Words that are no file inside the boundaries mean nothing; folders neither. A text is cut
 * like that of `read_file`; what is neither text nor an image of bearable size comes as a link.
 * @throws AGENT_PROMPT_INVALID: a file that may not be read, or too many; the abort's error
 */
export async function attachFiles(
  prompt: readonly ContentBlock[],
  workspace: Workspace,
  deps: AttachDeps,
): Promise<AttachedPrompt> {
  const known = new Set(prompt.flatMap((block) => ("uri" in block ? [block.uri] : [])));
  const words = new Set<string>();
  const blocks: ContentBlock[] = [];
  const seen: SeenFile[] = [];
  let count = 0;
  for (const block of prompt) {
    blocks.push(block);
    if (block.type !== "text") continue;
    for (const mention of mentionsIn(block.text)) {
      throwIfAborted(deps.signal);
      // A long text names the same over and over.
      const word = mention.join("\0");
      if (words.has(word)) continue;
      words.add(word);
      const place = await meantFile(mention, workspace);
      if (place === undefined) continue;
      const uri = pathToFileURL(place.path).href;
      if (known.has(uri)) continue;
      known.add(uri);
      if ((count += 1) > MAX_ATTACHMENTS) {
        throw agentError(
          "AGENT_PROMPT_INVALID",
          `The prompt attaches more than ${MAX_ATTACHMENTS} files with @; name fewer, the others can be read when they are needed.`,
        );
      }
      const shown = await look(place, deps);
      if (shown === undefined) continue;
      blocks.push(blockOf(shown.file, place, uri, deps.redact));
      if (shown.seen !== undefined) seen.push(shown.seen);
    }
  }
  return { content: blocks, seen };
}

/** The first form of a word that is a file. @throws AGENT_PROMPT_INVALID when that may not be read */
async function meantFile(mention: Mention, workspace: Workspace): Promise<Place | undefined> {
  for (const path of mention) {
    const place = await workspace.locate(path, "read");
    if (place.ok) {
      if (place.exists && (await isFile(place.path))) return place;
    } else if (place.rule !== undefined && (await isFile(resolve(workspace.cwd, path)))) {
      throw invalid(place.message, path);
    }
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

/** @throws AGENT_PROMPT_INVALID when it may not be read */
async function look(
  place: Place,
  { signal, deniedRead, ...deps }: AttachDeps,
): Promise<Shown | undefined> {
  const { path, shown } = place;
  const rule = deniedRead?.(path);
  if (rule !== undefined) {
    const message = `${shown} is not attached: the settings keep it from the model (rule deny ${rule}).`;
    throw invalid(message, shown);
  }
  const range = { start: 1, end: Number.POSITIVE_INFINITY, numbered: false };
  try {
    return await showFile(place, range, deps, signal);
  } catch (error) {
    throw isFileRefused(error) ? invalid(error.message, place.shown) : error;
  }
}

function blockOf(
  file: ShownFile,
  { path, shown }: Place,
  uri: string,
  redact: (text: string) => string,
): ContentBlock {
  if (file.type === "text") {
    const { window, total } = file;
    const whole = total === undefined ? "" : ` of ${total}`;
    const rest =
      window.next === undefined
        ? ""
        : `[${shown}: lines 1-${window.last}${whole}; read_file shows the rest from start_line ${window.next}]`;
    return { type: "resource", uri, mime_type: "text/plain", text: redact(window.text) + rest };
  }
  if (file.type === "image" && file.data !== undefined)
    return { type: "image", mime_type: file.mimeType, data: file.data };
  const what = file.type === "image" ? `${file.mimeType}, too large to be shown` : file.what;
  return { type: "resource_link", uri, name: basename(path), description: what, size: file.bytes };
}

function invalid(message: string, path: string): Error {
  return agentError("AGENT_PROMPT_INVALID", message, { details: { path } });
}
