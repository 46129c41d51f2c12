import type { ContentBlock } from "../content/content-block.ts";
import { asData, attributeText, wellFormed, withoutMiddle } from "./data-text.ts";
import { imageData, placeholder, type UsableImage, usableImage } from "./image-block.ts";

/** What a model can be given: a text or an image. */
export type Piece =
  | { readonly type: "text"; readonly text: string }
  | ({ readonly type: "image" } & UsableImage);

export interface BlockOptions {
  readonly vision: boolean;
  /** Longer texts lose their middle. */
  readonly maxChars?: number;
}

/** Blocks in their order; empty texts are left out. */
export function renderBlocks(blocks: readonly ContentBlock[], options: BlockOptions): Piece[] {
  return blocks
    .map((block) => renderBlock(block, options))
    .filter((piece) => piece.type === "image" || piece.text.trim() !== "");
}

function renderBlock(block: ContentBlock, { vision, maxChars }: BlockOptions): Piece {
  const data = imageData(block);
  if (data !== undefined) return renderImage(block, data, vision);
  const text = (content: string): Piece => ({ type: "text", text: content });
  const bounded = (content: string): string =>
    maxChars === undefined ? content : withoutMiddle(content, maxChars);
  switch (block.type) {
    case "text":
      return text(wellFormed(bounded(block.text)));
    case "image":
    case "audio":
      return text(placeholder(block.type, block.mime_type, block.data, "it cannot be sent"));
    case "resource": {
      const { uri, mime_type, text: content, blob = "" } = block;
      const shown = content ?? placeholder("data", mime_type ?? "unknown", blob, "not shown");
      return text(asData("resource", { uri, mime_type }, bounded(shown)));
    }
    case "resource_link": {
      const { uri, name, title, description = "", mime_type, size } = block;
      const bytes = size === undefined ? undefined : String(size);
      const attributes = { uri, name, title, mime_type, bytes };
      return text(asData("resource_link", attributes, bounded(description)));
    }
    case "structured":
      return text(asData("structured", {}, bounded(JSON.stringify(block.data) ?? "null")));
  }
}

function renderImage(block: ContentBlock, data: string, vision: boolean): Piece {
  const image = usableImage(data);
  if (vision && image !== undefined) return { type: "image", ...image };
  const type = "mime_type" in block ? (block.mime_type ?? "unknown") : "unknown";
  const why = vision
    ? "not shown, only PNG, JPEG, GIF and WebP up to 5 MB can be"
    : "not shown, this model sees no images";
  const line = placeholder("image", type, data, why);
  return { type: "text", text: "uri" in block ? `${line} ${attributeText(block.uri)}` : line };
}
