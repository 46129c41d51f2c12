import { isJsonObject } from "@acumen/core";
import { withoutMiddle } from "./data-text.ts";
import type { Call, ResultEvent } from "./history.ts";
import type { UsableImage } from "./image-block.ts";
import type { RenderOptions, ToolResultPart } from "./model-parts.ts";
import { type Piece, renderBlocks } from "./render-blocks.ts";

const PREVIEW_CHARS = 400;
/** A preview has to be worth it. */
const MIN_PREVIEWED_CHARS = 2 * PREVIEW_CHARS;
const MAX_SHOWN_INPUT_CHARS = 1_000;

/** Said for a call whose end the log does not know: no service takes a call without a result. */
const NO_RESULT =
  "There is no result: the work was interrupted before this call ended. It may have taken effect in part.";
const WITHOUT_WORDS: Readonly<Record<ResultEvent["payload"]["status"], string>> = {
  completed: "(no output)",
  failed: "The call failed without saying why.",
  rejected: "The call was not allowed, and did not run.",
  cancelled: "The call was cancelled before it ended. It may have taken effect in part.",
};

interface CallResult {
  readonly output: ToolResultPart["output"];
  /** Sent in a message of their own: several services take no images inside of results. */
  readonly images: readonly UsableImage[];
}

/** What the model reads as the result of a call; every call has one. */
export function callResult({ event, result }: Call, options: RenderOptions): CallResult {
  const { status, output: blocks } = result?.payload ?? { status: "failed", output: [] };
  const { target, maxChars } = options;
  const pieces = renderBlocks(blocks, {
    vision: target.vision,
    ...(maxChars !== undefined && { maxChars }),
  });
  const previewed = event.seq < options.previewBefore;
  const empty = result === undefined ? NO_RESULT : WITHOUT_WORDS[status];
  const text = previewed ? previewOf(pieces) : textOf(pieces);
  const value = [...inputFault(event.payload.input), text === "" ? empty : text].join("\n");
  return {
    output: { type: status === "completed" ? "text" : "error-text", value },
    images: previewed ? [] : pieces.filter((piece) => piece.type === "image"),
  };
}

/** The input as the wire can carry it: an object. What else the model wrote stands in the result. */
export function callInput(input: unknown, maxChars?: number): Record<string, unknown> {
  if (!isJsonObject(input)) return {};
  return (maxChars === undefined ? input : bounded(input, maxChars)) as Record<string, unknown>;
}

function inputFault(input: unknown): string[] {
  if (isJsonObject(input)) return [];
  const written = typeof input === "string" ? input : (JSON.stringify(input) ?? "");
  return [
    `The arguments of this call were no JSON object. They were: ${withoutMiddle(written, MAX_SHOWN_INPUT_CHARS)}`,
  ];
}

function textOf(pieces: readonly Piece[]): string {
  let images = 0;
  const texts = pieces.map((piece) => {
    if (piece.type === "text") return piece.text;
    images += 1;
    return `[image ${images} of this result: in the next message]`;
  });
  return texts.join("\n");
}

function previewOf(pieces: readonly Piece[]): string {
  const text = pieces
    .map((piece) => (piece.type === "text" ? piece.text : "[an image, no longer shown]"))
    .join("\n");
  if (text.length < MIN_PREVIEWED_CHARS) return text;
  const left = (text.length - PREVIEW_CHARS).toLocaleString("en-US");
  return `${text.slice(0, PREVIEW_CHARS)}\n[… ${left} of ${text.length.toLocaleString("en-US")} characters left out to save room. Run the tool again if they are needed.]`;
}

function bounded(value: unknown, maxChars: number): unknown {
  if (typeof value === "string") return withoutMiddle(value, maxChars);
  if (Array.isArray(value)) return value.map((item) => bounded(item, maxChars));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, bounded(item, maxChars)]),
  );
}
