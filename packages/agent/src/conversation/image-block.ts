import type { ContentBlock } from "../content/content-block.ts";
import { attributeText } from "./data-text.ts";

/** An image that every service takes that takes images at all. */
export interface UsableImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

interface ImageFormat {
  readonly mediaType: string;
  /** How the Base64 begins. */
  readonly start: string;
  /** Whether so much of it is there that it can be a picture; it is not decoded. */
  isWhole(head: Buffer, bytes: number): boolean;
}

/** What stands in front of the data of a picture, at most. */
const HEAD_BYTES = 32;
/** Less cannot hold tables, frame and scan of a JPEG. */
const MIN_JPEG_BYTES = 100;
const MIN_WEBP_BYTES = 26;

/** The formats that all services know. */
const FORMATS: readonly ImageFormat[] = [
  {
    mediaType: "image/png",
    start: "iVBORw0KGgo",
    // Signature, IHDR, and at least an empty IDAT and IEND.
    isWhole: (head, bytes) =>
      bytes >= 57 &&
      head.toString("latin1", 12, 16) === "IHDR" &&
      head.readUInt32BE(16) > 0 &&
      head.readUInt32BE(20) > 0,
  },
  { mediaType: "image/jpeg", start: "/9j/", isWhole: (_head, bytes) => bytes > MIN_JPEG_BYTES },
  {
    mediaType: "image/gif",
    start: "R0lGOD",
    // Header and screen, an image's place, and some data.
    isWhole: (head, bytes) =>
      bytes >= 26 &&
      /^GIF8[79]a$/u.test(head.toString("latin1", 0, 6)) &&
      head.readUInt16LE(6) > 0 &&
      head.readUInt16LE(8) > 0,
  },
  {
    mediaType: "image/webp",
    start: "UklGR",
    // The size that it says of itself counts from byte 8.
    isWhole: (head, bytes) =>
      bytes >= MIN_WEBP_BYTES &&
      /^WEBPVP8[ LX]$/u.test(head.toString("latin1", 8, 16)) &&
      head.readUInt32LE(4) + 8 <= bytes,
  },
];
/** The smallest limit of the services, for the Base64. */
const MAX_CHARS = 5 * 1024 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MAX_TYPE_CHARS = 60;

/**
 * The image under the type that its bytes say. Undefined for anything that a service would refuse, such as the mere beginning of
 * a picture: a refused image would break every later request of the session.
 */
export function usableImage(data: string): UsableImage | undefined {
  const format = FORMATS.find(({ start }) => data.startsWith(start));
  if (format === undefined || data.length > MAX_CHARS || !BASE64.test(data)) return;
  const head = Buffer.from(data.slice(0, Math.ceil(HEAD_BYTES / 3) * 4), "base64");
  if (!format.isWhole(head, Buffer.byteLength(data, "base64"))) return;
  return { mediaType: format.mediaType, data };
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
