import type { ContentBlock } from "../content/content-block.ts";
import { attributeText } from "./data-text.ts";

/** An image that every service takes that takes images at all. */
export interface UsableImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** Beginnings of the Base64 of the formats that all services know. */
const FORMATS = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
] as const;
/** The smallest limit of the services, for the Base64. */
const MAX_CHARS = 5 * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MAX_TYPE_CHARS = 60;

/**
 * The image under the type that its bytes say. Undefined for anything that a service would refuse: a refused image would
 * break every later request of the session.
 */
export function usableImage(data: string): UsableImage | undefined {
  const mediaType = FORMATS.find(([start]) => data.startsWith(start))?.[1];
  if (mediaType === undefined || data.length > MAX_CHARS || !BASE64.test(data)) return;
  return { mediaType, data };
}

/** One line in place of bytes that are not sent. */
export function placeholder(kind: string, mimeType: string, data: string, why: string): string {
  const type = attributeText(mimeType).slice(0, MAX_TYPE_CHARS);
  const kilobytes = Math.ceil((data.length * 3) / 4 / 1000);
  return `[${kind} of type ${type}, ${kilobytes} kB: ${why}]`;
}

export function imageData(block: ContentBlock): string | undefined {
  if (block.type === "image") return block.data;
  if (block.type !== "resource" || block.text !== undefined) return undefined;
  return block.mime_type?.startsWith("image/") === true ? block.blob : undefined;
}
