import { throwIfAborted } from "@acumen/core";
import { type ContentBlock, textBlock } from "../../content/content-block.ts";
import { redactedBytes } from "../../redaction/redacted-bytes.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { HeadTail } from "../../tools/output-limit.ts";
import type { ToolOutcome } from "../../tools/tool.ts";
import type { RawCallResult } from "../connection/mcp-connection.ts";
import { type ContentPart, contentParts } from "./result/content-parts.ts";
import { ResultFiles, type SavedFile } from "./result/result-files.ts";
import { chooseContent } from "./result/structured-content.ts";
import { textShares } from "./result/text-shares.ts";

/** Of all texts of a result, in bytes. */
const SHOWN_BYTES = 50 * 1024;
const MAX_BLOCKS = 100;
/** Of one image or sound, in characters of Base64. */
const MAX_MEDIA_CHARS = 5 * 1024 * 1024;
/** Of all of them. */
const MAX_ALL_MEDIA_CHARS = 20 * 1024 * 1024;
const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain";

export interface ToolOutcomeOptions {
  /** Absolute path of an existing folder for whole results. */
  readonly outputFolder: () => Promise<string>;
  readonly redact: Redactor;
  /** Of files of this call, without ending. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/** A piece as it is shown, and what of it is text. */
interface Shown {
  readonly block: ContentBlock;
  /** Counts for the limit of text; the block with another text. */
  readonly text?: { readonly content: string; readonly with: (content: string) => ContentBlock };
}

/**
 * A server's answer as typed blocks within the size caps: what does not fit is kept in files, and the text says where.
 * @throws the abort's error
 */
export async function toolOutcome(
  result: RawCallResult,
  { outputFolder, redact, name, signal }: ToolOutcomeOptions,
): Promise<ToolOutcome> {
  const files = new ResultFiles({ folder: outputFolder, name });
  const { parts, structured } = chooseContent(
    contentParts(result["content"], redact),
    result["structuredContent"],
  );
  const isError = result["isError"] === true;
  const all = [
    ...(await shownParts(parts, { files, redact, signal })),
    ...(structured === undefined ? [] : [shownData(structured.data, redact)]),
  ];
  const isBlank = all.every(({ text }) => text !== undefined && text.content.trim() === "");
  const status = isError ? "failed" : "completed";
  if (isBlank) {
    const words = isError
      ? "The tool failed without saying why."
      : "The tool ended and answered nothing.";
    return { status, output: [textBlock(words)] };
  }
  const { output, truncated } = await fitted(all, files);
  throwIfAborted(signal);
  return { status, output, truncated };
}

async function shownParts(
  parts: readonly ContentPart[],
  { files, redact, signal }: Pick<ToolOutcomeOptions, "redact" | "signal"> & { files: ResultFiles },
): Promise<readonly Shown[]> {
  const shown: Shown[] = [];
  let mediaChars = 0;
  for (const part of withoutSecrets(parts, redact)) {
    throwIfAborted(signal);
    if (!isMedia(part)) {
      shown.push(shownPart(part));
      continue;
    }
    const isSeen = part.type !== "blob" || part.mimeType.startsWith("image/");
    const fits =
      isSeen &&
      shown.length < MAX_BLOCKS &&
      part.data.length <= MAX_MEDIA_CHARS &&
      mediaChars + part.data.length <= MAX_ALL_MEDIA_CHARS;
    if (fits) mediaChars += part.data.length;
    shown.push(fits ? { block: mediaBlock(part) } : await savedMedia(part, files, redact));
  }
  return shown;
}

/**
 * Before anything is cut: half of a secret would not be found any more. Texts are read on from one to the next, since together they
 * are what the model reads: a secret that is split between some is hidden in the last of them.
 */
function withoutSecrets(parts: readonly ContentPart[], redact: Redactor): readonly ContentPart[] {
  const texts = parts.map((part) => ("text" in part ? part.text : ""));
  const own = texts.map((text) => redact(text));
  const isSplit = redact(texts.join("")) !== own.join("");
  const safe = isSplit ? inOneStream(texts, redact) : own;
  return parts.map((part, index) => ("text" in part ? { ...part, text: safe[index] ?? "" } : part));
}

function inOneStream(texts: readonly string[], redact: Redactor): readonly string[] {
  const stream = redact.stream();
  const safe = texts.map((text) => stream.push(text));
  const last = texts.findLastIndex((text) => text !== "");
  const rest = stream.end();
  return safe.map((text, index) => (index === last ? text + rest : text));
}

type MediaPart = Extract<ContentPart, { readonly data: string }>;

function isMedia(part: ContentPart): part is MediaPart {
  return "data" in part;
}

function mediaBlock({ type, mimeType, data, uri }: MediaPart): ContentBlock {
  if (type === "blob") return { type: "resource", uri: uri ?? "", mime_type: mimeType, blob: data };
  return { type, mime_type: mimeType, data };
}

async function savedMedia(
  { type, mimeType, data, uri }: MediaPart,
  files: ResultFiles,
  redact: Redactor,
): Promise<Shown> {
  const bytes = await redactedBytes(Buffer.from(data, "base64"), redact);
  const saved = await files.save(bytes, mimeType);
  const kind = type === "blob" ? "data" : type;
  const from = uri === undefined || uri === "" ? "" : ` of ${uri}`;
  const where = saved.ok ? `saved to ${saved.path}` : `it could not be kept (${saved.fault})`;
  return ofText(redact(`[${kind}${from}, type ${mimeType}, ${bytes.length} bytes: ${where}]`));
}

function shownPart(part: Exclude<ContentPart, MediaPart>): Shown {
  if (part.type === "text") return ofText(part.text);
  if (part.type === "resource") {
    const { uri, mimeType } = part;
    const block = (text: string): ContentBlock => ({
      type: "resource",
      uri,
      ...(mimeType !== undefined && { mime_type: mimeType }),
      text,
    });
    return { block: block(part.text), text: { content: part.text, with: block } };
  }
  const { mimeType, ...link } = part;
  return { block: { ...link, ...(mimeType !== undefined && { mime_type: mimeType }) } };
}

function ofText(content: string): Shown {
  return { block: textBlock(content), text: { content, with: textBlock } };
}

/** What is too long is shown as text. */
function shownData(data: unknown, redact: Redactor): Shown {
  const content = redact(JSON.stringify(data, null, 2) ?? "null");
  return { block: { type: "structured", data }, text: { content, with: textBlock } };
}

/** Within the limits; the texts of everything are kept in a file when something is left out. */
async function fitted(
  all: readonly Shown[],
  files: ResultFiles,
): Promise<{ readonly output: readonly ContentBlock[]; readonly truncated: boolean }> {
  const shown = all.slice(0, MAX_BLOCKS);
  const leftOut = all.length - shown.length;
  const sizes = shown.map(({ text }) => Buffer.byteLength(text?.content ?? ""));
  const shares = textShares(sizes, SHOWN_BYTES);
  const isCut = sizes.some((size, index) => size > (shares[index] ?? 0));
  if (!isCut && leftOut === 0) {
    return { output: shown.map(({ block }) => block), truncated: false };
  }
  const whole = await files.save(...wholeText(all));
  const output = shown.map(({ block, text }, index) => {
    const share = shares[index] ?? 0;
    if (text === undefined || (sizes[index] ?? 0) <= share) return block;
    const kept = new HeadTail(share);
    kept.push(Buffer.from(text.content));
    const size = sizes[index] ?? 0;
    return text.with(
      kept.text((bytes) => `[${bytes} of ${size} bytes left out here; ${placeOf(whole)}]`),
    );
  });
  const note = `[${leftOut} more blocks left out; ${placeOf(whole)}]`;
  return { output: leftOut > 0 ? [...output, textBlock(note)] : output, truncated: true };
}

function wholeText(all: readonly Shown[]): readonly [bytes: Uint8Array, mimeType: string] {
  const texts = all.flatMap(({ text }) => (text === undefined ? [] : [text.content]));
  const isData = all.length === 1 && all[0]?.block.type === "structured";
  return [Buffer.from(texts.join("\n")), isData ? JSON_TYPE : TEXT_TYPE];
}

function placeOf(whole: SavedFile): string {
  return whole.ok
    ? `the whole text of the result: ${whole.path}; look at parts of it with grep, or head and tail in bash`
    : `the whole result could not be kept (${whole.fault})`;
}
